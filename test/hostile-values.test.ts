import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NODES } from '../simulator/kubernetes/resource.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type ExporterProcess, startExporterProcess } from './exporter-process.ts';
import { samplesOf, scrape, scrapeUntil } from './scrape.ts';
import { requireTool } from './tools.ts';

const TIME = 'cloud.google.com/scheduled-maintenance-time';
const RECORD = 'node.gke.io/upcoming-maintenance';

/** A node as no sane API server would send it, the values that must be counted for it, and the samples that it must have. */
interface HostileNode {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly counted: Record<string, number>;
  /** Beside gke_node_info, without the labels of the node. */
  readonly samples: readonly string[];
}

const STATUS = [
  'gke_node_maintenance_status{source="annotation",status="PENDING"} 1',
  'gke_node_maintenance_status{source="annotation",status="ONGOING"} 0',
];
const READY = 'gke_disrupted_node_ready{} 0';

function badTime(value: string): HostileNode {
  return { labels: { [TIME]: value }, counted: { 'label scheduled-maintenance-time': 1 }, samples: [] };
}

function badRecord(value: string): HostileNode {
  return { annotations: { [RECORD]: value }, counted: { 'annotation upcoming-maintenance': 1 }, samples: [] };
}

const HOSTILE: Readonly<Record<string, HostileNode>> = {
  'an empty time': badTime(''),
  'a time that is a word': badTime('soon'),
  'a negative time': badTime('-1'),
  'a time with an exponent': badTime('1e999'),
  'a time beyond all calendars': badTime('99999999999999999999'),
  'a record that is no JSON': badRecord('{"can_reschedule":'),
  'a record that is an array': badRecord('[{"can_reschedule":"true"}]'),
  'a record that is very long': badRecord(`{"x":"${'y'.repeat(200_000)}`),
  'a record that is very long, and right': {
    annotations: { [RECORD]: JSON.stringify({ maintenance_status: 'PENDING', note: 'z'.repeat(200_000) }) },
    counted: {},
    samples: [...STATUS, READY],
  },
  'a record of wrong types': {
    annotations: {
      [RECORD]: JSON.stringify({
        maintenance_status: 'PENDING',
        can_reschedule: 7,
        window_start_time: {},
        window_end_time: null,
        type: [],
        maintenance_reason: 'x',
      }),
    },
    counted: {
      'annotation can_reschedule': 1,
      'annotation window_start_time': 1,
      'annotation type': 1,
      'annotation maintenance_reason': 1,
    },
    samples: [...STATUS, READY],
  },
  'reasons with quotes, line breaks and letters of any script': {
    annotations: {
      [RECORD]: JSON.stringify({
        maintenance_reason: [
          '"; drop',
          'two\nlines',
          'back\\slash',
          'Wärme 🔥',
          '\u0000\u001b[31m',
          '\ud800',
        ],
      }),
    },
    counted: {},
    samples: [
      'gke_node_maintenance_reason{source="annotation",reason="\\"; drop"} 1',
      'gke_node_maintenance_reason{source="annotation",reason="two\\nlines"} 1',
      'gke_node_maintenance_reason{source="annotation",reason="back\\\\slash"} 1',
      'gke_node_maintenance_reason{source="annotation",reason="Wärme 🔥"} 1',
      'gke_node_maintenance_reason{source="annotation",reason="\ufffd\ufffd[31m"} 1',
      'gke_node_maintenance_reason{source="annotation",reason="\ufffd"} 1',
      READY,
    ],
  },
  'two thousand labels': {
    labels: Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`example.com/l${i}`, `v${i}`])),
    counted: {},
    samples: [],
  },
  'labels with names of JavaScript': {
    labels: { constructor: 'x', toString: 'y', hasOwnProperty: 'z' },
    counted: {},
    samples: [],
  },
};

describe('values that no sane cluster sends', () => {
  let simulator: Simulator;
  let exporter: ExporterProcess;
  const names = new Map(Object.keys(HOSTILE).map((title, index) => [title, `hostile-${index}`]));

  beforeAll(async () => {
    simulator = await startSimulator();
    exporter = await startExporterProcess(simulator.exporterFlags);
    simulator.cluster.put(NODES, {
      metadata: { name: 'sane', labels: { 'cloud.google.com/gke-nodepool': 'p', [TIME]: '1796151601' } },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
    await scrapeUntil(exporter.url, (text) => text.includes('node="sane"'));
  });
  afterAll(async () => {
    await exporter.stop();
    await simulator.stop();
  });

  it.each(Object.entries(HOSTILE))(
    '%s: series absent or right, counted once, logged once, all else unharmed',
    async (title, { labels, annotations, counted, samples }) => {
      const name = names.get(title) ?? '';
      const before = countsOf(await scrape(exporter.url));
      const logged = exporter.log.length;
      const metadata = { name, uid: `uid-${name}`, labels: labels ?? {}, annotations: annotations ?? {} };
      // The kubelet writes the node again and again; the value stays the same.
      for (let round = 0; round < 3; round += 1) {
        simulator.cluster.put(NODES, {
          metadata: { ...metadata, annotations: { ...metadata.annotations, round: String(round) } },
        });
      }
      simulator.cluster.put(NODES, { metadata: { name: `after-${name}` } });
      const text = await scrapeUntil(exporter.url, (each) => each.includes(`node="after-${name}"`));
      const [info, ...others] = samplesOf(text, name);
      expect(info).toMatch(/^gke_node_info\{/u);
      expect(others.map((line) => line.replace(/node="[^"]*",node_pool=""(?:,|(?=\}))/u, ''))).toEqual(
        samples,
      );
      expect(difference(countsOf(text), before)).toEqual(counted);
      const lines = exporter.log.slice(logged);
      expect(lines).toHaveLength(Object.keys(counted).length);
      for (const line of lines) {
        expect(line).toContain(`subject=${name}`);
        expect(line.length).toBeLessThan(500);
      }
      expect(samplesOf(text, 'sane')).toContain(
        'gke_node_maintenance_window_start_timestamp_seconds{node="sane",node_pool="p",source="label"} 1796151601',
      );
    },
  );

  it('is not harmed by objects that are no nodes', async () => {
    const before = countsOf(await scrape(exporter.url));
    for (let round = 0; round < 3; round += 1) {
      simulator.cluster.put(NODES, {
        metadata: { name: 'taints-are-text' },
        spec: { taints: 'none' },
        round,
      });
      simulator.cluster.put(NODES, {
        metadata: { name: 'status-is-a-list' },
        status: { conditions: 'none' },
        round,
      });
    }
    simulator.cluster.put(NODES, { metadata: { name: 'last' } });
    const text = await scrapeUntil(exporter.url, (each) => each.includes('node="last"'));
    expect(samplesOf(text, 'taints-are-text')).toEqual([]);
    expect(difference(countsOf(text), before)).toEqual({ 'object nodes': 2 });
  });

  it('still gives an output that promtool accepts', async () => {
    const text = await scrape(exporter.url);
    const check = spawnSync(requireTool('promtool'), ['check', 'metrics'], { input: text, encoding: 'utf8' });
    expect(`${check.stdout}${check.stderr}`).toBe('');
    expect(check.status).toBe(0);
  });
});

/** Counted values by source and field. */
function countsOf(text: string): Map<string, number> {
  const pattern =
    /^gke_disruption_invalid_values_total\{source="(?<source>[^"]*)",field="(?<field>[^"]*)"\} (?<count>\d+)$/gmu;
  return new Map(
    [...text.matchAll(pattern)].map(({ groups }) => [
      `${groups?.source} ${groups?.field}`,
      Number(groups?.count),
    ]),
  );
}

function difference(after: Map<string, number>, before: Map<string, number>): Record<string, number> {
  const entries = [...after].map(([key, count]): [string, number] => [key, count - (before.get(key) ?? 0)]);
  return Object.fromEntries(entries.filter(([, count]) => count !== 0));
}
