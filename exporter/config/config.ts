import type { ListenAddress } from './listen-address.ts';

export type LogLevel = 'debug' | 'error' | 'info' | 'warn';
export type LogFormat = 'json' | 'logfmt';

/** Everything that the flags say, validated. Durations are in milliseconds. */
export interface Config {
  readonly web: {
    readonly listenAddresses: readonly ListenAddress[];
    readonly telemetryPath: string;
    /** Parallel scrapes; more are refused. */
    readonly maxRequests: number;
  };
  readonly log: { readonly level: LogLevel; readonly format: LogFormat };
  /** Names of the collectors that are on. */
  readonly collectors: readonly string[];
  readonly kubernetes: {
    readonly kubeconfig: string | undefined;
    readonly context: string | undefined;
    /** Objects a page. */
    readonly pageSize: number;
    readonly maxAge: number;
  };
}
