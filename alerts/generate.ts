import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ruleFiles } from './forms.ts';
import { DEFAULT_SETTINGS, readSettings, SettingsError } from './settings.ts';

const USAGE = `Usage: npm run alerts [-- --settings FILE --out FOLDER]

Makes the rules for Prometheus, for the Prometheus operator and for Managed Service for Prometheus.

  --settings FILE  thresholds and labels; default: alerts/settings.yml
  --out FOLDER     where to write them; default: alerts/generated
`;

function generate(settings: string | URL, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of ruleFiles(readSettings(settings))) writeFileSync(join(folder, file), text);
}

try {
  const { values } = parseArgs({
    options: {
      settings: { type: 'string' },
      out: { type: 'string', default: fileURLToPath(new URL('generated', import.meta.url)) },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) process.stdout.write(USAGE);
  else generate(values.settings ?? DEFAULT_SETTINGS, values.out);
} catch (error) {
  if (!(error instanceof SettingsError || error instanceof TypeError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
