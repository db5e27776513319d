import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { dashboards } from './dashboards.ts';
import { dashboardFiles } from './forms.ts';
import { layoutPage } from './layout-page.ts';

const USAGE = `Usage: npm run dashboards [-- --out FOLDER] [-- --layout FILE]

Makes the dashboards for provisioning, for grafana.com, and for Kubernetes.

  --out FOLDER   where to write them; default: dashboards/generated
  --layout FILE  writes a page with places, sizes and texts of the panels instead
`;

function generate(folder: string): void {
  for (const [file, text] of dashboardFiles()) {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

try {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: fileURLToPath(new URL('generated', import.meta.url)) },
      layout: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) process.stdout.write(USAGE);
  else if (values.layout === undefined) generate(values.out);
  else writeFileSync(values.layout, layoutPage(dashboards().values()));
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
