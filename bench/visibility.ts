import { parseScenario } from '../simulator/gke/scenario.ts';
import { NODES } from '../simulator/kubernetes/resource.ts';
import { startSimulator } from '../simulator/simulator.ts';
import { startExporterProcess } from '../test/exporter-process.ts';
import { scrape, scrapeUntil } from '../test/scrape.ts';

const NODES_OF_CLUSTER = 1000;
const CHANGES = 300;
const LABEL = 'cloud.google.com/active-node-maintenance';

/**
 * How long after a change of a node at the Kubernetes API the series is in a scrape, in milliseconds: the end of the first
 * scrape that has it, of scrapes one after the other. The exporter runs in a process of its own.
 */
export async function measureVisibility(): Promise<string> {
  const scenario = parseScenario(
    { pools: [{ name: 'a4', nodes: NODES_OF_CLUSTER, machineType: 'a4-highgpu-8g' }] },
    'bench',
  );
  const simulator = await startSimulator({ scenario });
  const exporter = await startExporterProcess(simulator.exporterFlags);
  try {
    await scrapeUntil(exporter.url, (text) =>
      text.includes(`gke_node_pool_nodes{node_pool="a4"} ${NODES_OF_CLUSTER}`),
    );
    const names = simulator.cluster.list(NODES).map(({ metadata: { name } }) => name);
    const delays: number[] = [];
    for (let change = 0; change < CHANGES; change += 1) {
      const state = `change-${change}`;
      const started = performance.now();
      simulator.cluster.update(NODES, names[change % names.length] ?? '', ({ metadata }) => {
        metadata.labels = { ...metadata.labels, [LABEL]: state };
      });
      while (!(await scrape(exporter.url)).includes(`state="${state}"`));
      delays.push(performance.now() - started);
    }
    return summary(delays);
  } finally {
    await exporter.stop();
    await simulator.stop();
  }
}

function summary(delays: readonly number[]): string {
  const sorted = delays.toSorted((one, other) => one - other);
  const quantile = (q: number): string =>
    `${(sorted[Math.ceil(q * sorted.length) - 1] ?? Number.NaN).toFixed(1)} ms`;
  return `From a label changed at the API to the end of a scrape that shows it, ${NODES_OF_CLUSTER} nodes, ${sorted.length} changes:
  p50 ${quantile(0.5)}   p90 ${quantile(0.9)}   p99 ${quantile(0.99)}   max ${quantile(1)}`;
}
