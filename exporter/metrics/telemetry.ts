import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import * as v from 'valibot';
import { type LabelsOf, type TelemetryName, telemetryCatalogue } from './catalogue.ts';
import { type Format, renderHeader, renderSample } from './exposition.ts';
import type { Family } from './family.ts';

/** What prom-client's metrics are, beyond their types. */
const DESCRIPTION = v.object({
  name: v.string(),
  type: v.picklist(['counter', 'gauge', 'histogram']),
  help: v.string(),
  labelNames: v.array(v.string()),
});

type NamesOfType<Type extends Family['type']> = {
  [Name in TelemetryName]: (typeof telemetryCatalogue)[Name]['type'] extends Type ? Name : never;
}[TelemetryName];

type TelemetryLabels<Name extends TelemetryName> = LabelsOf<(typeof telemetryCatalogue)[Name]>;

/** Duration of a scrape, in seconds: from a handful of nodes to a cluster of 65,000. */
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/**
 * The exporter's own telemetry: process and Node.js runtime, and the families of `telemetryCatalogue`. prom-client keeps the
 * values; the text is ours, since prom-client's own OpenMetrics output renames counters for good, and one collector that
 * throws takes all of its output with it.
 */
export class Telemetry {
  readonly #registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    for (const metric of this.#registry.getMetricsAsArray()) {
      // promtool's lint rejects them, and they are the sums of series that are there.
      if (metric.name.startsWith('nodejs_active_') && metric.name.endsWith('_total')) {
        this.#registry.removeSingleMetric(metric.name);
      }
    }
    for (const [name, family] of Object.entries<Family>(telemetryCatalogue)) {
      this.#registry.registerMetric(createMetric(name, family));
    }
  }

  /** Adds to a counter; adding 0 makes the series exist. */
  increment<Name extends NamesOfType<'counter'>>(name: Name, labels: TelemetryLabels<Name>, by = 1): void {
    this.#metric(name, Counter).inc(labels, by);
  }

  /** Sets a gauge. */
  set<Name extends NamesOfType<'gauge'>>(name: Name, labels: TelemetryLabels<Name>, value: number): void {
    this.#metric(name, Gauge).set(labels, value);
  }

  /** Observes a value, in the unit of the name, in a histogram. */
  observe<Name extends NamesOfType<'histogram'>>(
    name: Name,
    labels: TelemetryLabels<Name>,
    value: number,
  ): void {
    this.#metric(name, Histogram).observe(labels, value);
  }

  /** The exposition of everything, without the end line. A metric that cannot be read is left out. */
  async expose(format: Format): Promise<string> {
    const metrics = this.#registry.getMetricsAsArray() as unknown as Metric[];
    const texts = await Promise.all(
      metrics.map(async (metric) => renderMetric(metric, format).catch(() => '')),
    );
    return texts.join('');
  }

  /** Every family, those of the runtime included, by name: for the documentation. */
  families(): [name: string, family: Family][] {
    return this.#registry.getMetricsAsArray().map((metric) => {
      const { name, type, help, labelNames } = v.parse(DESCRIPTION, metric);
      return [name, { type, help, labels: labelNames, stability: 'stable' }];
    });
  }

  #metric<M extends Metric>(name: string, Type: new (...configuration: never[]) => M): M {
    const metric = this.#registry.getSingleMetric(name);
    if (!(metric instanceof Type)) throw new TypeError(`${name} is not registered as ${Type.name}`);
    return metric;
  }
}

function createMetric(name: string, family: Family): Metric {
  const configuration = { name, help: family.help, labelNames: family.labels, registers: [] };
  switch (family.type) {
    case 'counter':
      return new Counter(configuration);
    case 'gauge':
      return new Gauge(configuration);
    case 'histogram':
      return new Histogram({ ...configuration, buckets: BUCKETS });
    default:
      return family.type satisfies never;
  }
}

async function renderMetric(metric: Metric, format: Format): Promise<string> {
  const { name, help, type, values } = await metric.get();
  let lines = '';
  for (const sample of values) {
    if (!Number.isFinite(sample.value)) continue;
    const { metricName = name } = sample as { metricName?: string };
    lines += renderSample(metricName, labelTexts(sample.labels, format), sample.value);
  }
  return lines === ''
    ? ''
    : renderHeader(name, { type: type as unknown as Family['type'], help }, format) + lines;
}

function labelTexts(
  labels: Partial<Record<string, string | number>>,
  format: Format,
): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [label, value] of Object.entries(labels)) {
    texts[label] = label === 'le' && format === 'openmetrics' ? canonicalFloat(value) : String(value);
  }
  return texts;
}

/** OpenMetrics wants the bound of a bucket as a float in its canonical form, `1.0`. */
function canonicalFloat(bound: string | number | undefined): string {
  return Number.isInteger(bound) ? `${bound}.0` : String(bound);
}
