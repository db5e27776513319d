import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Simulator, startSimulator } from '../simulator.ts';
import { type AskOptions, ask } from '../test-client.ts';
import { CONFIG_MAPS, NODES } from './resource.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(async () => {
  await simulator.stop();
});

const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const patch = (path: string, body: unknown, contentType = MERGE) =>
  ask(simulator, path, { method: 'PATCH', body, contentType });

function addNode(name: string) {
  return simulator.cluster.create(NODES, {
    metadata: { name, labels: { a: 'b' } },
    spec: {},
    status: { capacity: { cpu: '4' } },
  });
}

describe('the token', () => {
  it('is asked for, save for health', async () => {
    const { code, body } = await ask(simulator, '/api/v1/nodes', { token: 'wrong' });
    expect(code).toBe(401);
    expect(body).toMatchObject({ kind: 'Status', message: 'Unauthorized', reason: 'Unauthorized' });
    for (const path of ['/healthz', '/livez', '/readyz']) {
      expect(await ask(simulator, path, { token: 'wrong' })).toMatchObject({ code: 200, body: 'ok' });
    }
  });

  it('can be rotated: the kubeconfig has the new one and the old one is refused', async () => {
    const { token: old } = simulator;
    const rotated = simulator.rotateToken();
    expect(parse(readFileSync(simulator.kubeconfigPath, 'utf8')).users[0].user.token).toBe(rotated);
    expect(statSync(simulator.kubeconfigPath).mode % 0o1000).toBe(0o600);
    expect((await ask(simulator, '/version', { token: old })).code).toBe(401);
    expect((await ask(simulator, '/version')).code).toBe(200);
  });

  it('can come from a file, and whoever writes the file rotates it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'token-'));
    const tokenFile = join(folder, 'token');
    const other = await startSimulator({ token: 'first', tokenFile });
    expect((await ask(other, '/version', { token: 'first' })).code).toBe(200);
    writeFileSync(tokenFile, 'second\n');
    expect((await ask(other, '/version', { token: 'first' })).code).toBe(401);
    expect((await ask(other, '/version', { token: 'second' })).code).toBe(200);
    await other.stop();
    await rm(folder, { recursive: true });
  });
});

describe('discovery', () => {
  it('lists versions, groups and resources', async () => {
    const body = async (path: string) => (await ask(simulator, path)).body;
    expect(await body('/version')).toMatchObject({
      major: '1',
      minor: '35',
      gitVersion: 'v1.35.6-gke.1234000',
    });
    expect(await body('/api')).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    expect((await body('/apis')).groups.map(({ name }: { name: string }) => name)).toEqual([
      'coordination.k8s.io',
    ]);
    const { resources } = await body('/api/v1');
    expect(resources.map(({ name }: { name: string }) => name)).toEqual([
      'nodes',
      'nodes/status',
      'pods',
      'pods/status',
      'events',
      'configmaps',
      'namespaces',
      'namespaces/status',
    ]);
    expect(await body('/apis/coordination.k8s.io/v1')).toMatchObject({
      groupVersion: 'coordination.k8s.io/v1',
    });
  });

  it.each(['/openapi/v2', '/openapi/v3', '/apis/apps/v1', '/api/v1/secrets', '/nonsense'])(
    '%s is not found',
    async (path) => {
      expect(await ask(simulator, path)).toMatchObject({
        code: 404,
        body: { kind: 'Status', reason: 'NotFound' },
      });
    },
  );
});

describe('an object', () => {
  const maps = '/api/v1/namespaces/default/configmaps';

  it('is created, read, replaced and deleted', async () => {
    const body = { metadata: { name: 'one' }, data: { a: 'b' } };
    const created = await ask(simulator, maps, { method: 'POST', body });
    expect(created).toMatchObject({
      code: 201,
      body: { kind: 'ConfigMap', metadata: { namespace: 'default' } },
    });
    const replaced = await ask(simulator, `${maps}/one`, {
      method: 'PUT',
      body: { ...created.body, data: { c: 'd' } },
    });
    expect(replaced.body).toMatchObject({ data: { c: 'd' }, metadata: { uid: created.body.metadata.uid } });
    expect((await ask(simulator, `${maps}/one`)).body).toEqual(replaced.body);
    const deleted = await ask(simulator, `${maps}/one`, { method: 'DELETE' });
    expect(deleted.body).toMatchObject({ status: 'Success', details: { name: 'one', kind: 'configmaps' } });
    expect((await ask(simulator, `${maps}/one`)).body.message).toBe('configmaps "one" not found');
  });

  it('can be named by the server', async () => {
    const body = { metadata: { generateName: 'map-' } };
    expect((await ask(simulator, maps, { method: 'POST', body })).body.metadata.name).toMatch(
      /^map-[0-9a-f]{5}$/u,
    );
  });

  const refusals: [string, string, AskOptions, number, string][] = [
    [
      'twice',
      maps,
      { method: 'POST', body: { metadata: { name: 'twice' } } },
      409,
      'configmaps "twice" already exists',
    ],
    [
      'without a name',
      maps,
      { method: 'POST', body: { metadata: {} } },
      422,
      'name or generateName is required',
    ],
    [
      'in no namespace',
      '/api/v1/namespaces/no/configmaps',
      { method: 'POST', body: { metadata: { name: 'x' } } },
      404,
      'namespaces "no" not found',
    ],
    [
      'of another kind',
      maps,
      { method: 'POST', body: { kind: 'Pod', metadata: { name: 'x' } } },
      400,
      'does not match the expected kind',
    ],
    ['that is none', maps, { method: 'POST', body: [] }, 400, 'cannot be handled as a ConfigMap'],
    [
      'with labels that are numbers',
      maps,
      { method: 'POST', body: { metadata: { name: 'x', labels: { a: 1 } } } },
      400,
      'metadata.labels.a',
    ],
    [
      'in protobuf',
      maps,
      { method: 'POST', body: {}, contentType: 'application/vnd.kubernetes.protobuf' },
      415,
      'unknown format',
    ],
    [
      'under another name',
      `${maps}/twice`,
      { method: 'PUT', body: { metadata: { name: 'x' } } },
      400,
      'does not match the name on the URL',
    ],
    [
      'of an old version',
      `${maps}/twice`,
      { method: 'PUT', body: { metadata: { resourceVersion: '1' } } },
      409,
      'the object has been modified',
    ],
    [
      'that is protected',
      `${maps}/twice`,
      { method: 'DELETE', body: { preconditions: { uid: 'x' } } },
      409,
      'the precondition does not hold',
    ],
    ['as YAML', maps, { accept: 'application/yaml' }, 406, 'only the following media types are accepted'],
  ];
  it.each(refusals)('%s is refused', async (_, path, options, code, message) => {
    simulator.cluster.put(CONFIG_MAPS, { metadata: { name: 'twice', namespace: 'default' } });
    const answer = await ask(simulator, path, options);
    expect(answer.code).toBe(code);
    expect(answer.body.message).toContain(message);
  });
});

describe('a node', () => {
  it('is patched in its labels and keeps its identity', async () => {
    const { metadata } = addNode('patched');
    const { body } = await patch('/api/v1/nodes/patched', {
      metadata: { labels: { a: null, c: 'd' }, uid: 'other' },
    });
    expect(body.metadata).toMatchObject({ uid: metadata.uid, labels: { c: 'd' } });
  });

  it('conflicts when the patch is for another version', async () => {
    const { metadata } = addNode('conflicting');
    const labels = { x: 'y' };
    const path = '/api/v1/nodes/conflicting';
    expect(
      (await patch(path, { metadata: { labels, resourceVersion: metadata.resourceVersion } })).code,
    ).toBe(200);
    const { code, body } = await patch(path, {
      metadata: { labels: {}, resourceVersion: metadata.resourceVersion },
    });
    expect(code).toBe(409);
    expect(body.message).toBe(
      'Operation cannot be fulfilled on nodes "conflicting": the object has been modified; please apply your changes to the latest version and try again',
    );
  });

  it('has a status of its own: each write leaves the other part alone', async () => {
    addNode('parted');
    const main = await patch('/api/v1/nodes/parted', {
      spec: { unschedulable: true },
      status: { capacity: { cpu: '9' } },
    });
    expect(main.body).toMatchObject({ spec: { unschedulable: true }, status: { capacity: { cpu: '4' } } });
    const status = await patch(
      '/api/v1/nodes/parted/status',
      { spec: {}, status: { capacity: { cpu: '9' } } },
      STRATEGIC,
    );
    expect(status.body).toMatchObject({ spec: { unschedulable: true }, status: { capacity: { cpu: '9' } } });
  });

  it('stays the same version when nothing changes, and in a dry run', async () => {
    const { metadata } = addNode('same');
    expect(
      (await patch('/api/v1/nodes/same', { metadata: { labels: { a: 'b' } } })).body.metadata.resourceVersion,
    ).toBe(metadata.resourceVersion);
    const dry = await patch('/api/v1/nodes/same?dryRun=All', { metadata: { labels: { a: 'c' } } });
    expect(dry.body.metadata.labels).toEqual({ a: 'c' });
    expect(simulator.cluster.get(NODES, 'same')?.metadata.labels).toEqual({ a: 'b' });
  });

  it.each([
    [
      { metadata: { labels: { a: 'not a label' } } },
      'metadata.labels: Invalid value: "not a label": a valid label must be',
    ],
    [{ metadata: { labels: { a: 'x'.repeat(64) } } }, 'must be no more than 63 bytes'],
    [{ metadata: { labels: { 'a/b/c': '' } } }, 'a valid label key has one name and at most one prefix'],
    [{ metadata: { labels: { 'UPPER/c': '' } } }, 'prefix part a lowercase RFC 1123 subdomain'],
    [{ metadata: { annotations: { '-': '' } } }, 'name part must consist of alphanumeric characters'],
    [
      { spec: { taints: [{ key: 'a', effect: 'Nothing' }] } },
      'spec.taints[0].effect: Unsupported value: "Nothing"',
    ],
    [{ spec: { taints: [{ effect: 'NoSchedule' }] } }, 'spec.taints[0].key'],
  ])('is refused as invalid: %j', async (body, message) => {
    simulator.cluster.put(NODES, { metadata: { name: 'valid' } });
    const { code, body: answer } = await patch('/api/v1/nodes/valid', body);
    expect(code).toBe(422);
    expect(answer).toMatchObject({ reason: 'Invalid', details: { name: 'valid', kind: 'Node' } });
    expect(answer.message).toContain(message);
  });

  it('can hold in the process what no API server would take', async () => {
    simulator.cluster.put(NODES, {
      metadata: { name: 'hostile', labels: { __proto__: 5, 'no key': ['x'] } },
      spec: 7,
    });
    expect((await ask(simulator, '/api/v1/nodes/hostile')).body).toMatchObject({
      spec: 7,
      metadata: { labels: { 'no key': ['x'] } },
    });
    expect((await ask(simulator, '/api/v1/nodes?labelSelector=x')).code).toBe(200);
  });
});
