import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dashboards } from './dashboards.ts';
import type { DashboardJson, PanelJson } from './schema.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const schema = fileURLToPath(new URL('schema.ts', import.meta.url));
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dashboard-schema-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const compilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    target: 'es2024',
    module: 'nodenext',
    types: [],
    allowImportingTsExtensions: true,
    preserveSymlinks: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** What the compiler says of JSON that is written into a program as constants of the schema's types. */
async function check(constants: readonly (readonly [type: string, value: unknown])[]): Promise<string> {
  const lines = constants.map(
    ([type, value], index) => `export const c${index}: ${type} = ${JSON.stringify(value)};`,
  );
  const imports = `import type { DashboardJson, PanelJson } from ${JSON.stringify(schema)};`;
  writeFileSync(join(folder, 'constants.ts'), `${[imports, ...lines].join('\n')}\n`);
  const tsc = join(root, 'node_modules/.bin/tsc');
  return await run(tsc, ['-p', folder, '--pretty', 'false']).then(
    () => '',
    (error: unknown) => String((error as { stdout?: string }).stdout),
  );
}

it('takes the JSON of each dashboard and of each of its panels for what the newest Grafana expects', async () => {
  const all = [...dashboards().values()];
  const panels = all.flatMap((dashboard) => dashboard.panels ?? []).filter(({ type }) => type !== 'row');
  expect(
    await check([
      ...all.map((dashboard) => ['DashboardJson', dashboard] as const),
      ...panels.map((panel) => {
        const { options, fieldConfig } = panel as {
          options?: unknown;
          fieldConfig?: { defaults: { custom?: unknown } };
        };
        return [
          `PanelJson['${panel.type}']`,
          { options, custom: fieldConfig?.defaults.custom ?? {} },
        ] as const;
      }),
    ]),
  ).toBe('');
});

it('would see a mistake', async () => {
  const good: DashboardJson = { schemaVersion: 42 };
  const options: Partial<PanelJson['stat']['options']> = { graphMode: 'none' };
  expect(await check([['DashboardJson', { ...good, refresh: 5 }]])).toContain(
    "'number' is not assignable to type 'string'",
  );
  expect(await check([["Partial<PanelJson['stat']['options']>", { ...options, graphMode: 'x' }]])).toContain(
    `'"x"' is not assignable`,
  );
});
