import { writeFileSync } from 'node:fs';
import { metricsPage } from './metrics-page.ts';

writeFileSync(new URL('metrics.md', import.meta.url), metricsPage());
