import { CoreV1Api, KubeConfig, PatchStrategy, setHeaderOptions, Watch } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseScenario } from '../gke/scenario.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { NODES } from './resource.ts';

let simulator: Simulator;
const config = new KubeConfig();

beforeAll(async () => {
  simulator = await startSimulator({
    scenario: parseScenario({ pools: [{ name: 'general', nodes: 3 }] }, 'test'),
  });
  config.loadFromFile(simulator.kubeconfigPath);
});
afterAll(async () => {
  await simulator.stop();
});

it("Kubernetes' JavaScript client lists nodes in pages and patches them", async () => {
  const api = config.makeApiClient(CoreV1Api);
  const first = await api.listNode({ limit: 2 });
  expect(first.items[0]?.metadata?.creationTimestamp).toBeInstanceOf(Date);
  const rest = await api.listNode({ limit: 2, _continue: first.metadata?._continue ?? '' });
  expect([first.items.length, rest.items.length]).toEqual([2, 1]);
  const name = first.items[0]?.metadata?.name ?? '';
  await api.patchNode(
    { name, body: { metadata: { labels: { team: 'research' } } } },
    setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch),
  );
  expect(simulator.cluster.get(NODES, name)?.metadata.labels).toMatchObject({ team: 'research' });
  await expect(api.readNode({ name: 'absent' })).rejects.toMatchObject({ code: 404 });
});

it('and watches them', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const parameters = { resourceVersion: `${simulator.cluster.revision}`, allowWatchBookmarks: true };
  const began = simulator.requests.next('watch nodes');
  const controller = await new Watch(config).watch(
    '/api/v1/nodes',
    parameters,
    (type: string) => resolve(type),
    () => undefined,
  );
  await began;
  simulator.cluster.delete(NODES, simulator.machines.nodesOf('general')[0] ?? '');
  expect(await promise).toBe('DELETED');
  controller.abort();
  await simulator.requests.nextEnd('watch nodes');
});
