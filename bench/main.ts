import process from 'node:process';
import { measureDashboards } from './dashboards.ts';
import { measureExposition } from './exposition.ts';
import { measureInterruptions } from './interruptions.ts';
import { measureMemory } from './memory.ts';
import { measureMonitoring } from './monitoring.ts';
import { measureRules } from './rules.ts';
import { measureVisibility } from './visibility.ts';

process.stdout.write('Measuring, for about five minutes …\n');
process.stdout.write(`${await measureVisibility()}\n`);
process.stdout.write(`${await measureExposition()}\n`);
process.stdout.write(`${measureInterruptions()}\n`);
process.stdout.write(`${await measureMonitoring()}\n`);
process.stdout.write(`${await measureMemory()}\n`);
process.stdout.write(`${await measureRules()}\n`);
process.stdout.write(`${await measureDashboards()}\n`);
