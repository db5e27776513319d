import { describe, expect, it } from 'vitest';
import type { InterruptedResource, InterruptionPoint } from '../gke/interruption.ts';
import { COUNTING_TIMES, ERA } from '../gke/interruption-count.ts';
import { Store } from '../metrics/store.ts';
import { Interruptions } from './interruptions.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = 700 * ERA + 10 * 24 * HOUR;
const { delay } = COUNTING_TIMES;

function resource(kind: 'node' | 'node_pool', name: string): InterruptedResource {
  return { kind, projectId: 'p', location: 'l', clusterName: 'c', name };
}

function point(of: InterruptedResource, endTime: number, reason = 'HostError', count = 1): InterruptionPoint {
  return { resource: of, cause: { type: 'TerminationEvent', reason }, endTime, count };
}

function create(nodeRetention = 24 * HOUR) {
  const store = new Store();
  const part = store.part();
  const interruptions = new Interruptions({
    times: COUNTING_TIMES,
    nodeRetention,
    replace: (key, samples) => part.replace(key, samples),
  });
  /** The samples that fit, as the exposition has them at an instant. */
  const lines = (now: number, ...parts: string[]): string[] => {
    interruptions.render(now);
    const text = store.expose('text').split('\n');
    return text.filter((line) => !line.startsWith('#') && parts.every((each) => line.includes(each)));
  };
  return { interruptions, store, lines };
}

const LABELS = 'project_id="p",location="l",cluster_name="c",interruption_type="TerminationEvent"';

describe('Interruptions', () => {
  it('shows a node at 0 until its interruption counts', () => {
    const { interruptions, lines } = create();
    interruptions.add([point(resource('node', 'n'), NOW)], NOW);
    const series = `{${LABELS},interruption_reason="HostError",node="n"}`;
    expect(lines(NOW + delay - 1, 'node="n"')).toEqual([
      `gke_node_interruptions_total${series} 0`,
      `gke_node_last_interruption_timestamp_seconds${series} ${NOW / 1000}`,
    ]);
    expect(lines(NOW + delay, 'gke_node_interruptions_total')).toEqual([
      `gke_node_interruptions_total${series} 1`,
    ]);
  });

  it('lets a node go after the retention, and shows it again with its earlier count', () => {
    const { interruptions, lines } = create(HOUR);
    interruptions.add([point(resource('node', 'n'), NOW)], NOW);
    expect(lines(NOW + delay + HOUR - 1, 'node="n"')).toHaveLength(2);
    expect(lines(NOW + delay + HOUR, 'node="n"')).toEqual([]);
    const again = NOW + 5 * HOUR;
    interruptions.add([point(resource('node', 'n'), again)], again);
    expect(lines(again, 'gke_node_interruptions_total')).toEqual([expect.stringMatching(/ 1$/u)]);
    expect(lines(again + delay, 'gke_node_interruptions_total')).toEqual([expect.stringMatching(/ 2$/u)]);
  });

  it('shows 0 for every known cause of a pool that exists, in the counter and in each window', () => {
    const { interruptions, lines } = create();
    interruptions.setNodePools('p', [resource('node_pool', 'np')]);
    expect(lines(NOW, 'node_pool="np"', ' 0')).toHaveLength(30 * 5);
    expect(lines(NOW, 'interruption_reason="HostError"', 'TerminationEvent')).toEqual([
      `gke_node_pool_interruptions_total{${LABELS},interruption_reason="HostError",node_pool="np"} 0`,
      ...['1h', '24h', '7d', '28d'].map(
        (window) =>
          `gke_node_pool_interruptions_in_window{${LABELS},interruption_reason="HostError",node_pool="np",window="${window}"} 0`,
      ),
    ]);
  });

  it('shows 0 for a cause that nobody knew for every pool, once it was seen', () => {
    const { interruptions, lines } = create();
    interruptions.setNodePools('p', [resource('node_pool', 'a'), resource('node_pool', 'b')]);
    expect(lines(NOW, 'Gremlins')).toEqual([]);
    interruptions.add([point(resource('node_pool', 'a'), NOW, 'Gremlins')], NOW);
    expect(lines(NOW + delay, 'gke_node_pool_interruptions_total', 'Gremlins')).toEqual([
      `gke_node_pool_interruptions_total{${LABELS},interruption_reason="Gremlins",node_pool="a"} 1`,
      `gke_node_pool_interruptions_total{${LABELS},interruption_reason="Gremlins",node_pool="b"} 0`,
    ]);
  });

  it('lets windows slide', () => {
    const { interruptions, lines } = create();
    interruptions.add([point(resource('node_pool', 'a'), NOW, 'HostError', 2)], NOW);
    const values = (now: number): string[] =>
      lines(now, 'in_window', 'TerminationEvent', 'HostError').map((line) => line.slice(-1));
    expect(values(NOW + delay - 1)).toEqual(['0', '0', '0', '0']);
    expect(values(NOW + delay)).toEqual(['2', '2', '2', '2']);
    expect(values(NOW + delay + HOUR)).toEqual(['0', '2', '2', '2']);
    expect(values(NOW + delay + 24 * HOUR)).toEqual(['0', '0', '2', '2']);
    expect(values(NOW + delay + 28 * 24 * HOUR)).toEqual(['0', '0', '0', '0']);
  });

  it('forgets a pool that is gone, but not before its interruptions are', () => {
    const { interruptions, lines } = create();
    interruptions.setNodePools('p', [resource('node_pool', 'old'), resource('node_pool', 'quiet')]);
    interruptions.add([point(resource('node_pool', 'old'), NOW)], NOW);
    interruptions.setNodePools('p', []);
    interruptions.forget(NOW + HOUR);
    expect(lines(NOW + HOUR, 'quiet')).toEqual([]);
    expect(lines(NOW + HOUR, 'old')).toHaveLength(150);
    interruptions.forget(NOW + 29 * 24 * HOUR);
    expect(lines(NOW + 29 * 24 * HOUR, 'old')).toEqual([]);
    expect(interruptions.points).toBe(0);
  });

  it('says when something changes next', () => {
    const { interruptions } = create();
    interruptions.setNodePools('p', [resource('node_pool', 'quiet')]);
    expect(interruptions.render(NOW)).toBe(Number.POSITIVE_INFINITY);
    interruptions.add([point(resource('node', 'n'), NOW)], NOW);
    expect(interruptions.render(NOW)).toBe(NOW + delay);
    expect(interruptions.render(NOW + delay)).toBe(NOW + delay + HOUR);
  });

  it('takes a bounded number of causes', () => {
    const { interruptions } = create();
    const points = Array.from({ length: 150 }, (_, i) => point(resource('node', 'n'), NOW, `Reason ${i}`));
    expect(interruptions.add(points, NOW)).toBe(50);
    expect(interruptions.points).toBe(100);
  });
});
