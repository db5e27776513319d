import { readFileSync } from 'node:fs';
import process from 'node:process';
import * as v from 'valibot';

const PACKAGE = v.object({ name: v.string(), version: v.string() });

const { name, version } = v.parse(
  PACKAGE,
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')),
);

/** Who this is: for `--version`, the build_info series and the landing page. */
export const build = {
  name,
  version,
  /** Git commit of the source; images set it when they are built. */
  revision: process.env.REVISION ?? 'unknown',
  nodeVersion: process.version.replace(/^v/u, ''),
} as const;
