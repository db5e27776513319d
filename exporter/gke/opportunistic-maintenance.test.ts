import { describe, expect, it } from 'vitest';
import { parseOpportunisticConfig, parseOpportunisticTriggered } from './opportunistic-maintenance.ts';

describe('parseOpportunisticConfig', () => {
  const config = { idleTimeSeconds: 600, minNodes: 3, windowSeconds: 2_419_200 };

  it.each([
    ['settings as gcloud takes them', 'node-idle-time=600s,min-nodes=3,window=2419200s'],
    ['spaces between settings', 'node-idle-time=600s, min-nodes=3, window=2419200s'],
    [
      'JSON with the names of the GKE API',
      '{"nodeIdleTimeWindow":"600s","minimumNodesPerPool":"3","maintenanceAvailabilityWindow":"2419200s"}',
    ],
    ['JSON with numbers', '{"node_idle_time_window":600,"min_nodes_per_pool":3,"window":2419200}'],
    ['settings that are new to us', 'node-idle-time=600s,min-nodes=3,window=2419200s,mood=good'],
  ])('reads %s', (_, text) => {
    expect(parseOpportunisticConfig(text)).toEqual({ value: config, invalid: [] });
  });

  it('leaves out a setting that cannot be read', () => {
    expect(parseOpportunisticConfig('node-idle-time=long,min-nodes=3').value).toEqual({
      idleTimeSeconds: undefined,
      minNodes: 3,
      windowSeconds: undefined,
    });
  });

  it.each(['on', '[]', 'null', '"text"', '=', 'min-nodes=-1', 'min-nodes=1e9'])('reports "%s"', (text) => {
    expect(parseOpportunisticConfig(text)).toEqual({
      value: undefined,
      invalid: [{ source: 'annotation', field: 'opportunistic-config', value: text }],
    });
  });
});

describe('parseOpportunisticTriggered', () => {
  it.each([
    ['{"opportunistic-triggered":true}', true],
    ['{"opportunistic-triggered":"true","since":"2026-12-01T19:00:01Z"}', true],
    ['opportunistic-triggered=true', true],
    ['window-open=true,opportunistic-triggered: True', true],
    ['{"opportunistic-triggered": false}', false],
    ['{"other":true}', undefined],
    ['', undefined],
  ])('reads %s as %s', (text, value) => {
    expect(parseOpportunisticTriggered(text)).toEqual({ value, invalid: [] });
  });

  it('reports a state that it cannot read', () => {
    expect(parseOpportunisticTriggered('opportunistic-triggered=perhaps')).toEqual({
      value: undefined,
      invalid: [
        { source: 'annotation', field: 'maintenance-state', value: 'opportunistic-triggered=perhaps' },
      ],
    });
  });
});
