/** A rule that keeps the result of a query under a name of its own. */
export interface RecordingRule {
  /** `level:metric:operations`. */
  readonly record: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Critical pages somebody, warning makes a ticket, info is there to be looked at. */
export type Severity = 'critical' | 'warning' | 'info';

/** A rule that tells when something has to be known. */
export interface AlertingRule {
  readonly alert: string;
  readonly expr: string;
  /** A Prometheus duration. */
  readonly for?: string;
  /** A Prometheus duration. Only where a value hovers about a threshold: holes in the data are bridged by the query. */
  readonly keep_firing_for?: string;
  readonly labels: Readonly<Record<string, string>> & { readonly severity: Severity };
  readonly annotations: Annotations;
}

/** What an alert tells people; all but the summary may be templates. */
interface Annotations extends Readonly<Record<string, string>> {
  /** One sentence that is the same for all of its alerts. */
  readonly summary: string;
  readonly description: string;
}

type Rule = RecordingRule | AlertingRule;

/** Rules that are evaluated one after the other, so that each sees what those before it recorded. */
export interface RuleGroup {
  readonly name: string;
  /** A Prometheus duration; default: how Prometheus is configured. */
  readonly interval?: string;
  readonly rules: readonly Rule[];
}
