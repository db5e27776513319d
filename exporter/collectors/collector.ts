import type { Logger } from '@logtape/logtape';
import type { Config } from '../config/config.ts';
import type { IdentityDiscovery } from '../google/cluster-identity.ts';
import type { StorePart } from '../metrics/store-part.ts';
import type { Telemetry } from '../metrics/telemetry.ts';
import type { CollectorHealth } from './health.ts';
import type { InvalidValues } from './invalid-values.ts';
import type { NodeDirectory } from './node-directory.ts';

/** What a collector is given. */
export interface CollectorContext {
  readonly config: Config;
  /** Its part of the store. */
  readonly part: StorePart;
  readonly health: CollectorHealth;
  readonly invalidValues: InvalidValues;
  readonly telemetry: Telemetry;
  /** Which cluster this is, for sources that must know. */
  readonly identity: IdentityDiscovery;
  /** Which nodes exist; undefined where nobody knows, since the nodes collector is off. */
  readonly nodes: NodeDirectory | undefined;
  readonly log: Logger;
}

/**
 * A source of series. To add one: write its file beside this one, and put it into the list in `registry.ts`; flags, help,
 * health, isolation and shutdown follow from what it declares. The file must be cheap to import: clients are loaded by
 * `create`, only when the collector is on.
 */
export interface CollectorDefinition {
  readonly name: string;
  /** What it reads, for `--help`. */
  readonly help: string;
  readonly enabledByDefault: boolean;
  /** Every value of the label `reason` of its errors, so that the counters start at 0. */
  readonly failureReasons: readonly string[];
  /** After how many milliseconds without a word of its source its series are withdrawn; undefined: never. */
  readonly maxAge: (config: Config) => number | undefined;
  /** Looks at the files that flags name. Throws when the collector could never work with them. */
  readonly check: (config: Config) => Promise<void>;
  readonly create: (context: CollectorContext) => Promise<Collector>;
}

export interface Collector {
  /** Collects until `signal` aborts. Handles the failures of its source; what it throws is a bug. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}
