import { describe, expect, it } from 'vitest';
import { parseNode } from '../gke/node.ts';
import { renderSample } from '../metrics/exposition.ts';
import { nodeSamples } from './node-samples.ts';

interface Parts {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly taints?: readonly string[];
  readonly ready?: string;
}

/** The lines of a node but gke_node_info, without the labels that all of them must have. */
function linesOf({ labels, annotations, taints = [], ready = 'True' }: Parts): string[] {
  const node = parseNode({
    metadata: {
      name: 'n',
      uid: 'u',
      labels: { 'cloud.google.com/gke-nodepool': 'p', ...labels },
      annotations,
    },
    spec: { taints: taints.map((key) => ({ key, effect: 'NoSchedule' })) },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  });
  const [, ...samples] = nodeSamples(node);
  return samples.map(({ family, labels: pairs, value }) =>
    renderSample(family, pairs, value)
      .trimEnd()
      .replace(/node="n",node_pool="p",?/u, '')
      .replace('{}', ''),
  );
}

function record(fields: Record<string, unknown>): Parts {
  return { annotations: { 'node.gke.io/upcoming-maintenance': JSON.stringify(fields) } };
}

const READY = 'gke_disrupted_node_ready 1';

describe('nodeSamples', () => {
  it('says what a node is, with every label there is', () => {
    const [info] = nodeSamples(parseNode({ metadata: { name: 'n', uid: 'u' } }));
    expect(renderSample(info?.family ?? '', info?.labels ?? {}, info?.value ?? 0)).toBe(
      'gke_node_info{node="n",node_pool="",zone="",machine_type="",provisioning="",accelerator="",accelerator_count="",tpu_topology="",gke_version="",instance_id="",live_migration="unknown",maintenance_notice="unknown"} 1\n',
    );
  });

  it.each<[string, Parts, string[]]>([
    ['a node of which nothing is said', {}, []],
    [
      'a scheduled time',
      { labels: { 'cloud.google.com/scheduled-maintenance-time': '1796151601' } },
      ['gke_node_maintenance_window_start_timestamp_seconds{source="label"} 1796151601', READY],
    ],
    [
      'a scheduled time and a record that says otherwise, each by its source',
      {
        labels: { 'cloud.google.com/scheduled-maintenance-time': '1796151601' },
        ...record({ window_start_time: '2026-12-02T19:00:01Z' }),
      },
      [
        'gke_node_maintenance_window_start_timestamp_seconds{source="label"} 1796151601',
        'gke_node_maintenance_window_start_timestamp_seconds{source="annotation"} 1796238001',
        READY,
      ],
    ],
    [
      'a pending record',
      record({ maintenance_status: 'PENDING' }),
      [
        'gke_node_maintenance_status{source="annotation",status="PENDING"} 1',
        'gke_node_maintenance_status{source="annotation",status="ONGOING"} 0',
        READY,
      ],
    ],
    [
      'an ongoing record',
      record({ maintenance_status: 'ONGOING' }),
      [
        'gke_node_maintenance_status{source="annotation",status="PENDING"} 0',
        'gke_node_maintenance_status{source="annotation",status="ONGOING"} 1',
        READY,
      ],
    ],
    [
      'a record of a status that is new to us',
      record({ maintenance_status: 'UNKNOWN' }),
      [
        'gke_node_maintenance_status{source="annotation",status="PENDING"} 0',
        'gke_node_maintenance_status{source="annotation",status="ONGOING"} 0',
        'gke_node_maintenance_status{source="annotation",status="UNKNOWN"} 1',
        READY,
      ],
    ],
    [
      'a record that cannot be moved',
      record({ can_reschedule: 'FALSE' }),
      ['gke_node_maintenance_can_reschedule{source="annotation"} 0', READY],
    ],
    [
      'a record with a type and two reasons',
      record({ type: 'UNSCHEDULED', maintenance_reasons: ['FAILURE_GPU', 'FAILURE_NVLINK'] }),
      [
        'gke_node_maintenance_type{source="annotation",type="UNSCHEDULED"} 1',
        'gke_node_maintenance_reason{source="annotation",reason="FAILURE_GPU"} 1',
        'gke_node_maintenance_reason{source="annotation",reason="FAILURE_NVLINK"} 1',
        READY,
      ],
    ],
    [
      'a request of the operator, on a node that is not Ready',
      { labels: { 'cloud.google.com/perform-maintenance': 'true' }, ready: 'False' },
      ['gke_node_perform_maintenance_requested 1', 'gke_disrupted_node_ready 0'],
    ],
    [
      'active maintenance, on a node of which the kubelet says nothing',
      { labels: { 'cloud.google.com/active-node-maintenance': 'terminating' }, ready: 'Unknown' },
      ['gke_node_active_maintenance{state="terminating"} 1', 'gke_disrupted_node_ready 0'],
    ],
    [
      'an open window and an impending termination',
      {
        taints: [
          'cloud.google.com/maintenance-window-started',
          'cloud.google.com/impending-node-termination',
        ],
      },
      ['gke_node_maintenance_window_open 1', 'gke_node_termination_impending 1', READY],
    ],
    [
      "Kubernetes' own taints, which are no maintenance",
      { taints: ['node.kubernetes.io/not-ready', 'nvidia.com/gpu'], ready: 'False' },
      [],
    ],
    [
      'opportunistic maintenance',
      {
        annotations: {
          'node.gke.io/opportunistic-config': 'node-idle-time=600s,min-nodes=3,window=2419200s',
        },
      },
      [
        'gke_node_opportunistic_maintenance_enabled 1',
        'gke_node_opportunistic_maintenance_idle_time_seconds 600',
        'gke_node_opportunistic_maintenance_min_nodes 3',
        'gke_node_opportunistic_maintenance_window_seconds 2419200',
        READY,
      ],
    ],
    [
      'opportunistic maintenance that is off for this node',
      {
        labels: { 'cloud.google.com/opportunistic-disable': 'true' },
        annotations: { 'node.gke.io/opportunistic-config': 'min-nodes=3' },
      },
      [
        'gke_node_opportunistic_maintenance_disabled 1',
        'gke_node_opportunistic_maintenance_min_nodes 3',
        READY,
      ],
    ],
    [
      'opportunistic maintenance that began',
      { annotations: { 'node.gke.io/maintenance-state': '{"opportunistic-triggered":true}' } },
      ['gke_node_opportunistic_maintenance_triggered 1', READY],
    ],
  ])('says of %s', (_, parts, lines) => {
    expect(linesOf(parts)).toEqual(lines);
  });
});
