import type { CountingTimes } from '../gke/interruption-count.ts';
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
  readonly google: {
    /** Empty: to be discovered. */
    readonly projectIds: readonly string[];
    readonly location: string | undefined;
    /** Empty text: every cluster of the projects. */
    readonly clusterName: string | undefined;
    /** `googleapis.com`, or that of a sovereign cloud. */
    readonly universeDomain: string;
  };
  readonly monitoring: {
    /** `host:port`, or `http://host:port` for plaintext; undefined: Google's. */
    readonly endpoint: string | undefined;
    readonly pollInterval: number;
    /** How long the interruptions of a node stay visible one by one. */
    readonly nodeRetention: number;
    /** No flag: constants, but for a simulated cloud whose clock runs faster. */
    readonly times: CountingTimes;
  };
  readonly metadata: {
    /** A URL; undefined: by the environment, or Compute Engine's. */
    readonly endpoint: string | undefined;
    readonly watchMaintenanceEvent: boolean;
  };
  readonly compute: {
    /** `host:port`, or `http://host:port` for plaintext without credentials; undefined: Google's, by the universe domain. */
    readonly endpoint: string | undefined;
    readonly pollInterval: number;
  };
  /** How long scrapes are answered after SIGTERM, in milliseconds. */
  readonly shutdownDelay: number;
}
