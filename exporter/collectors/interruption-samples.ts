import type { InterruptedResource, InterruptionCause } from '../gke/interruption.ts';
import { type CountingTimes, countedRange, WINDOWS, windowRange } from '../gke/interruption-count.ts';
import type { InterruptionSeries } from '../gke/interruption-series.ts';
import { sample } from '../metrics/catalogue.ts';
import type { Sample } from '../metrics/family.ts';

/** The interruptions of a resource by one cause. */
export interface InterruptionsByCause {
  readonly cause: InterruptionCause;
  readonly series: InterruptionSeries;
}

/** Counter and gauges of a node pool, one for each cause. */
export function nodePoolInterruptionSamples(
  pool: InterruptedResource,
  byCause: readonly InterruptionsByCause[],
  now: number,
  times: CountingTimes,
): Sample[] {
  const counted = countedRange(now, times);
  const windows = Object.entries(WINDOWS).map(([window, length]) => ({
    window,
    range: windowRange(now, length, times),
  }));
  return byCause.flatMap(({ cause, series }) => {
    const labels = { ...interruptionLabels(pool, cause), node_pool: pool.name };
    return [
      sample('gke_node_pool_interruptions_total', labels, series.count(counted.from, counted.to)),
      ...windows.map(({ window, range }) =>
        sample(
          'gke_node_pool_interruptions_in_window',
          { ...labels, window },
          series.count(range.from, range.to),
        ),
      ),
    ];
  });
}

/** Counter and latest interruption of a node, one for each of its causes. */
export function nodeInterruptionSamples(
  node: InterruptedResource,
  byCause: readonly InterruptionsByCause[],
  now: number,
  times: CountingTimes,
): Sample[] {
  const { from, to } = countedRange(now, times);
  return byCause.flatMap(({ cause, series }) => {
    const labels = { ...interruptionLabels(node, cause), node: node.name };
    const last = series.last === undefined ? [] : [series.last / 1000];
    return [
      sample('gke_node_interruptions_total', labels, series.count(from, to)),
      ...last.map((seconds) => sample('gke_node_last_interruption_timestamp_seconds', labels, seconds)),
    ];
  });
}

function interruptionLabels(
  { projectId, location, clusterName }: InterruptedResource,
  { type, reason }: InterruptionCause,
) {
  return {
    project_id: projectId,
    location,
    cluster_name: clusterName,
    interruption_type: type,
    interruption_reason: reason,
  };
}
