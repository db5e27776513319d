/** One thing that must be well before the exporter is ready. */
export interface ReadinessCheck {
  readonly name: string;
  readonly isReady: () => boolean;
  /** One line for people: `ok`, or what is wrong. */
  readonly describe: () => string;
}

/** The answer of `/readyz`, in the form of Kubernetes' own: one line a check when verbose, then the sum. */
export function readiness(
  checks: readonly ReadinessCheck[],
  isVerbose: boolean,
): { isReady: boolean; text: string } {
  const isReady = checks.every((check) => check.isReady());
  const lines = checks.map((check) => `[${check.isReady() ? '+' : '-'}]${check.name} ${check.describe()}`);
  const sum = isReady ? 'ok' : 'not ready';
  return { isReady, text: `${[...(isVerbose ? lines : []), sum].join('\n')}\n` };
}
