import { describe, expect, it } from 'vitest';
import { negotiateFormat } from './negotiation.ts';

describe('negotiateFormat', () => {
  it.each([
    [
      'Prometheus 2.42',
      'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
      'openmetrics',
    ],
    [
      'Prometheus 3',
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
      'openmetrics',
    ],
    [
      'Prometheus 3 with native histograms',
      'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
      'openmetrics',
    ],
    ['Prometheus set to text only', 'text/plain;version=0.0.4', 'text'],
    [
      'text before OpenMetrics',
      'text/plain;version=0.0.4,application/openmetrics-text;version=1.0.0',
      'text',
    ],
    [
      'text preferred by quality',
      'application/openmetrics-text;version=1.0.0;q=0.2,text/plain;version=0.0.4;q=0.9',
      'text',
    ],
    ['OpenMetrics without a version', 'application/openmetrics-text', 'openmetrics'],
    ['OpenMetrics in another version only', 'application/openmetrics-text;version=0.0.1', 'text'],
    ['OpenMetrics refused', 'application/openmetrics-text;version=1.0.0;q=0,text/plain', 'text'],
    ['media types in capitals', 'Application/OpenMetrics-Text; Version=1.0.0', 'openmetrics'],
    ['a version in quotes', 'application/openmetrics-text;version="1.0.0"', 'openmetrics'],
    ['a browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', 'text'],
    ['curl', '*/*', 'text'],
    ['something else altogether', 'application/json', 'text'],
    ['nothing', undefined, 'text'],
    ['an empty header', '', 'text'],
    ['garbage', ';;,=,"', 'text'],
    ['a quality that is no number', 'application/openmetrics-text;q=high,text/plain', 'text'],
  ])('answers %s', (_, accept, format) => {
    expect(negotiateFormat(accept)).toBe(format);
  });
});
