import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireTool } from '../../test/tools.ts';
import { parseScenario } from '../gke/scenario.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { NODES } from './resource.ts';

const kubectlPath = requireTool('kubectl');
const scenario = parseScenario(
  {
    cluster: { name: 'test' },
    pools: [
      { name: 'a4', nodes: 2, machineType: 'a4-highgpu-8g', accelerator: { type: 'nvidia-b200', count: 8 } },
      { name: 'spot', nodes: 1, provisioning: 'spot' },
    ],
  },
  'test',
);

// Google's kubectl is a dispatcher: it runs the client of the server's version.
describe.each(['v1.35.6-gke.1234000', 'v1.27.16-gke.1000000', 'v1.20.15-gke.1000000'])(
  'kubectl with a server %s',
  (version) => {
    let simulator: Simulator;
    let environment: NodeJS.ProcessEnv;
    let node: string;

    beforeAll(async () => {
      simulator = await startSimulator({ scenario, version });
      environment = {
        ...process.env,
        KUBECONFIG: simulator.kubeconfigPath,
        HOME: dirname(simulator.kubeconfigPath),
      };
      node = simulator.machines.nodesOf('a4')[0] ?? '';
    });
    afterAll(async () => {
      await simulator.stop();
    });

    const kubectl = async (...args: readonly string[]) =>
      (await promisify(execFile)(kubectlPath, args, { env: environment })).stdout;
    const columns = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/u));

    it('gets nodes, with labels and wide columns', async () => {
      const [header, first] = columns(await kubectl('get', 'nodes', '-L', 'cloud.google.com/gke-nodepool'));
      expect(header).toEqual(['NAME', 'STATUS', 'ROLES', 'AGE', 'VERSION', 'GKE-NODEPOOL']);
      expect(first?.slice(0, 3)).toEqual([node, 'Ready', '<none>']);
      expect(first?.slice(4)).toEqual(['v1.35.6-gke.1234000', 'a4']);
      const [wide, wideFirst] = columns(await kubectl('get', 'nodes', '-o', 'wide'));
      expect(wide?.slice(5)).toEqual([
        'INTERNAL-IP',
        'EXTERNAL-IP',
        'OS-IMAGE',
        'KERNEL-VERSION',
        'CONTAINER-RUNTIME',
      ]);
      expect(wideFirst).toContain('Container-Optimized OS from Google');
    });

    it.each([
      [['-l', 'cloud.google.com/gke-nodepool in (spot)'], 1],
      [['-l', 'cloud.google.com/gke-accelerator'], 2],
      [['--field-selector', 'spec.unschedulable=false'], 3],
      [['--sort-by', '.metadata.creationTimestamp'], 3],
      [['--chunk-size', '1'], 3],
    ])('selects and sorts: %j', async (args, count) => {
      expect(columns(await kubectl('get', 'nodes', '--no-headers', ...args))).toHaveLength(count);
    });

    it('prints JSON and YAML', async () => {
      const list = JSON.parse(await kubectl('get', 'nodes', '-o', 'json'));
      expect(list.items[0]).toMatchObject({
        kind: 'Node',
        apiVersion: 'v1',
        spec: { taints: [{ key: 'nvidia.com/gpu' }] },
      });
      expect(await kubectl('get', 'node', node, '-o', 'yaml')).toContain(
        'cloud.google.com/gke-accelerator: nvidia-b200',
      );
    });

    it('labels, annotates, taints, cordons, and describes the outcome', async () => {
      await kubectl('label', 'node', node, 'team=research');
      await kubectl('annotate', 'node', node, 'note=two words');
      await kubectl('taint', 'node', node, 'team=research:NoExecute');
      await kubectl('cordon', node);
      const text = await kubectl('describe', 'node', node);
      for (const part of [
        'team=research',
        'note: two words',
        'team=research:NoExecute',
        'nvidia.com/gpu=present:NoSchedule',
        'Unschedulable:      true',
      ]) {
        expect(text).toContain(part);
      }
      await kubectl('uncordon', node);
      await kubectl('taint', 'node', node, 'team-');
      await kubectl('label', 'node', node, 'team-');
      const stored = simulator.cluster.get(NODES, node);
      expect(stored?.spec.unschedulable).not.toBe(true);
      expect(stored?.spec.taints).toEqual([
        { key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' },
      ]);
      expect(stored?.metadata.labels).not.toHaveProperty('team');
    });

    it('shows why a label is refused', async () => {
      await expect(
        kubectl('patch', 'node', node, '--type=merge', '-p', '{"metadata":{"labels":{"a":"b c"}}}'),
      ).rejects.toThrow('metadata.labels: Invalid value: "b c": a valid label must be');
    });

    it('watches', async () => {
      const watching = simulator.requests.next('watch nodes');
      const child = spawn(kubectlPath, ['get', 'nodes', '-w', '--no-headers'], { env: environment });
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      for (let line = 0; line < 3; line += 1) await lines.next();
      await watching;
      simulator.cluster.update(NODES, node, (draft) => {
        draft.spec.unschedulable = true;
      });
      expect((await lines.next()).value).toContain('Ready,SchedulingDisabled');
      child.kill();
      await once(child, 'close');
    });
  },
);
