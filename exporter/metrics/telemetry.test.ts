import { describe, expect, it } from 'vitest';
import { Telemetry } from './telemetry.ts';

/** The lines of the given family, header and samples. */
async function linesOf(
  telemetry: Telemetry,
  format: 'openmetrics' | 'text',
  family: string,
): Promise<string[]> {
  return (await telemetry.expose(format)).split('\n').filter((line) => line.includes(family));
}

describe('Telemetry', () => {
  it('keeps the name of a counter as text after it was written as OpenMetrics', async () => {
    const telemetry = new Telemetry();
    const labels = { source: 'label', field: 'scheduled-maintenance-time' };
    telemetry.increment('gke_disruption_invalid_values_total', labels);
    expect(await linesOf(telemetry, 'openmetrics', 'gke_disruption_invalid_values')).toEqual([
      expect.stringMatching(/^# HELP gke_disruption_invalid_values /u),
      '# TYPE gke_disruption_invalid_values counter',
      'gke_disruption_invalid_values_total{source="label",field="scheduled-maintenance-time"} 1',
    ]);
    expect(await linesOf(telemetry, 'text', 'gke_disruption_invalid_values')).toEqual([
      expect.stringMatching(/^# HELP gke_disruption_invalid_values_total /u),
      '# TYPE gke_disruption_invalid_values_total counter',
      'gke_disruption_invalid_values_total{source="label",field="scheduled-maintenance-time"} 1',
    ]);
  });

  it('makes a counter exist at 0', async () => {
    const telemetry = new Telemetry();
    telemetry.increment(
      'gke_disruption_collector_errors_total',
      { collector: 'nodes', reason: 'timeout' },
      0,
    );
    expect(await linesOf(telemetry, 'text', 'gke_disruption_collector_errors_total{')).toEqual([
      'gke_disruption_collector_errors_total{collector="nodes",reason="timeout"} 0',
    ]);
  });

  it('leaves out families without samples', async () => {
    expect(await linesOf(new Telemetry(), 'text', 'gke_disruption_collector_up')).toEqual([]);
  });

  it.each([
    ['text', 'le="1"'],
    ['openmetrics', 'le="1.0"'],
  ] as const)('writes the buckets of a histogram as %s wants them', async (format, bound) => {
    const telemetry = new Telemetry();
    telemetry.observe('gke_disruption_scrape_duration_seconds', { format: 'text', encoding: 'gzip' }, 0.3);
    const lines = await linesOf(telemetry, format, 'gke_disruption_scrape_duration_seconds');
    expect(lines).toContain('# TYPE gke_disruption_scrape_duration_seconds histogram');
    expect(lines.filter((line) => line.includes(bound))).toHaveLength(1);
    expect(lines.some((line) => line.includes('le="+Inf"') && line.endsWith(' 1'))).toBe(true);
    expect(lines.at(-1)).toBe(
      'gke_disruption_scrape_duration_seconds_count{format="text",encoding="gzip"} 1',
    );
  });

  it('has the process and the runtime, and no value that is no number', async () => {
    const text = await new Telemetry().expose('text');
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/mu);
    expect(text).toMatch(/^nodejs_version_info\{/mu);
    expect(text).not.toMatch(/ (?:NaN|undefined)$/mu);
  });
});
