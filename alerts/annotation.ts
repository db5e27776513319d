import type { Promql } from './promql.ts';

/** A query about the nodes of one node pool, from a selector in braces. */
export type PoolQuery = (selector: string) => string;

/** So many nodes are named, which a phone can still show; of more, the number. */
const NAMED = 20;

/** Annotations that ask Prometheus about the alert's node pool when they are rendered. */
export class PoolTemplates {
  readonly #labels: readonly string[];

  constructor({ dialect }: Promql) {
    this.#labels = [...dialect.scope, 'node_pool'];
  }

  /** The names of the nodes, the first twenty. */
  names(nodes: PoolQuery): string {
    return (
      `{{ $nodes := ${this.#ask(nodes)} | sortByLabel "node" }}${list('$nodes', ', ')}` +
      `{{ if gt (len $nodes) ${NAMED} }} and more, {{ len $nodes }} in all{{ end }}`
    );
  }

  /**
   * The earliest instant in words, in the time zone of Prometheus (its environment variable TZ), and how far away it is:
   * `Tue 1 Dec 19:00 UTC, in 50m 0s`. From a query of the seconds until then.
   */
  starts(secondsUntil: PoolQuery): string {
    const first = this.#ask((selector) => `min(${secondsUntil(selector)})`);
    const instant = this.#ask((selector) => `min(${secondsUntil(selector)}) + time()`);
    return (
      `{{ with ${instant} }}{{ (. | first | value | toTime).Local.Format "Mon 2 Jan 15:04 MST" }}{{ end }}` +
      `{{ with ${first} }}{{ $seconds := . | first | value }}` +
      '{{ if gt $seconds 0.0 }}, in {{ humanizeDuration $seconds }}{{ else }}, the window is open{{ end }}{{ end }}'
    );
  }

  /** How many of the alert's nodes a query finds: `3 of 16`, `none`. The alert's value is the number of its nodes. */
  howMany(nodes: PoolQuery): string {
    const count = this.#ask((selector) => `count(${nodes(selector)})`);
    return `{{ with ${count} }}{{ . | first | value }} of {{ $value }}{{ else }}none{{ end }}`;
  }

  /** The command that starts maintenance now where that is possible; else the one that shows the pool. */
  startNow(reschedulable: PoolQuery): string {
    const pool = 'cloud.google.com/gke-nodepool={{ $labels.node_pool }}';
    return (
      `{{ $nodes := ${this.#ask(reschedulable)} | sortByLabel "node" }}{{ if not $nodes }}kubectl get nodes -l ${pool}` +
      `{{ else }}kubectl label nodes {{ if gt (len $nodes) ${NAMED} }}-l ${pool},cloud.google.com/scheduled-maintenance-time` +
      `{{ else }}${list('$nodes', ' ')}{{ end }} cloud.google.com/perform-maintenance=true{{ end }}`
    );
  }

  /** A query of Prometheus as a pipeline of its templates. */
  #ask(query: PoolQuery): string {
    const selector = `{${this.#labels.map((label) => `${label}=%q`).join(', ')}}`;
    const text = query(selector);
    const values = text
      .split(selector)
      .slice(1)
      .flatMap(() => this.#labels.map((label) => `$labels.${label}`));
    return `query (printf \`${text.replaceAll(/\s+/gu, ' ')}\` ${values.join(' ')})`;
  }
}

function list(nodes: string, separator: string): string {
  return (
    `{{ range $i, $each := ${nodes} }}{{ if lt $i ${NAMED} }}` +
    `{{ if $i }}${separator}{{ end }}{{ $each.Labels.node }}{{ end }}{{ end }}`
  );
}
