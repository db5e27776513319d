import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Interruptions } from '../exporter/collectors/interruptions.ts';
import type { InterruptionPoint } from '../exporter/gke/interruption.ts';
import { COUNTING_TIMES, ERA } from '../exporter/gke/interruption-count.ts';
import { Store } from '../exporter/metrics/store.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = 700 * ERA + 27 * DAY;
const POOLS = 20;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapMegabytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1e6;
}

/** Points of nodes and of their pools: 90,000 interruptions in the era before, 10,000 nodes interrupted in the last day. */
function* points(): Generator<InterruptionPoint> {
  for (let index = 0; index < 100_000; index += 1) {
    const isRecent = index >= 90_000;
    const endTime = isRecent ? NOW - DAY + (index - 90_000) * 8640 : NOW - 26 * DAY + index * 24_000;
    const node = index % 10_000;
    const cause = { type: 'PreemptionEvent', reason: ['Eviction', 'HostError', 'Other'][index % 3] ?? '' };
    const place = { projectId: 'project', location: 'us-central1', clusterName: 'cluster' };
    const resource = {
      kind: 'node',
      ...place,
      name: `gke-cluster-pool-${node % POOLS}-0a1b2c3d-${node}`,
    } as const;
    const pool = { kind: 'node_pool', ...place, name: `pool-${node % POOLS}` } as const;
    yield { resource, cause, endTime, count: 1 };
    yield { resource: pool, cause, endTime, count: 1 };
  }
}

function milliseconds(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

/** Memory, series and time of a fleet that is interrupted a lot. */
export function measureInterruptions(): string {
  const before = heapMegabytes();
  const store = new Store();
  const part = store.part();
  const interruptions = new Interruptions({
    times: COUNTING_TIMES,
    nodeRetention: DAY,
    replace: (key, samples) => part.replace(key, samples),
  });
  const adding = milliseconds(() => interruptions.add(points(), NOW));
  const first = milliseconds(() => interruptions.render(NOW));
  const next = milliseconds(() => interruptions.render(NOW + 60_000));
  const text = store.expose('text');
  const heap = heapMegabytes() - before;
  const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;
  return `100,000 interruptions in an era, 10,000 nodes interrupted in the last day, ${POOLS} pools
  points known ${interruptions.points}, series ${series}, text ${(text.length / 1e6).toFixed(1)} MB, heap ${heap.toFixed(0)} MB
  adding all ${adding.toFixed(0)} ms, first rendering ${first.toFixed(0)} ms, bringing it up to date a minute later ${next.toFixed(0)} ms`;
}
