import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalogue, telemetryCatalogue } from '../exporter/metrics/catalogue.ts';
import { metricsPage } from './metrics-page.ts';

describe('docs/metrics.md', () => {
  it('is what the catalogue says; after a change, run: npm run docs', () => {
    expect(readFileSync(new URL('metrics.md', import.meta.url), 'utf8')).toBe(metricsPage());
  });

  it('has a row for every series, with its labels', () => {
    const page = metricsPage();
    for (const [name, { labels }] of Object.entries({ ...catalogue, ...telemetryCatalogue })) {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? '';
      for (const label of labels) expect(row).toContain(`\`${label}\``);
    }
  });
});
