import { COMING } from './coming.ts';
import { COVERAGE, EXPORTER } from './exporter.ts';
import { INTERRUPTIONS } from './interruptions.ts';
import { ONGOING } from './ongoing.ts';
import type { AlertCase } from './promtool.ts';

/** Each alert fires in at least one case; each case names all that fire. */
export const ALERT_CASES: readonly AlertCase[] = [
  ...COMING,
  ...ONGOING,
  ...INTERRUPTIONS,
  ...COVERAGE,
  ...EXPORTER,
];
