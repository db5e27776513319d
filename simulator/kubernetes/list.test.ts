import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../simulator.ts';
import { ask } from '../test-client.ts';
import { NODES, PODS } from './resource.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
beforeEach(() => {
  for (const { metadata } of simulator.cluster.list(NODES)) simulator.cluster.delete(NODES, metadata.name);
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    simulator.cluster.create(NODES, { metadata: { name, labels: { name } }, spec: {}, status: {} });
  }
});
afterAll(async () => {
  await simulator.stop();
});

const names = (body: { items: { metadata: { name: string } }[] }) =>
  body.items.map(({ metadata }) => metadata.name);
const nodes = (query = '') => ask(simulator, `/api/v1/nodes${query}`);

describe('a list', () => {
  it('comes in pages that all show the state of the first', async () => {
    const first = await nodes('?limit=2');
    expect(names(first.body)).toEqual(['a', 'b']);
    expect(first.body.metadata).toMatchObject({
      remainingItemCount: 3,
      resourceVersion: `${simulator.cluster.revision}`,
    });
    simulator.cluster.delete(NODES, 'c');
    simulator.cluster.create(NODES, { metadata: { name: 'bb' }, spec: {}, status: {} });
    simulator.cluster.update(NODES, 'd', (node) => {
      node.metadata.labels = { changed: 'yes' };
    });
    const second = await nodes(`?limit=2&continue=${first.body.metadata.continue}`);
    expect(names(second.body)).toEqual(['c', 'd']);
    expect(second.body.items[1].metadata.labels).toEqual({ name: 'd' });
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    const third = await nodes(`?limit=2&continue=${second.body.metadata.continue}`);
    expect(names(third.body)).toEqual(['e']);
    expect(third.body.metadata).toEqual({ resourceVersion: first.body.metadata.resourceVersion });
    expect(names((await nodes()).body)).toEqual(['a', 'b', 'bb', 'd', 'e']);
  });

  it('goes on inconsistently, if the client wants, when the first state is compacted', async () => {
    const first = await nodes('?limit=2');
    simulator.cluster.delete(NODES, 'c');
    simulator.cluster.compact();
    const expired = await nodes(`?limit=2&continue=${first.body.metadata.continue}`);
    expect(expired.code).toBe(410);
    expect(expired.body).toMatchObject({ kind: 'Status', reason: 'Expired', code: 410 });
    expect(expired.body.message).toContain('The provided continue parameter is too old');
    const rest = await nodes(`?limit=9&continue=${expired.body.metadata.continue}`);
    expect(names(rest.body)).toEqual(['d', 'e']);
  });

  it('does not tell how many remain when it selects', async () => {
    const { body } = await nodes('?limit=1&labelSelector=name');
    expect(names(body)).toEqual(['a']);
    expect(body.metadata.remainingItemCount).toBeUndefined();
    const selected = await nodes(`?limit=5&labelSelector=${encodeURIComponent('name in (a,d)')}`);
    expect(names(selected.body)).toEqual(['a', 'd']);
  });

  it('shows the state of a revision, or one at least as new', async () => {
    const old = simulator.cluster.revision;
    simulator.cluster.delete(NODES, 'a');
    expect(names((await nodes(`?resourceVersion=${old}&resourceVersionMatch=Exact`)).body)).toHaveLength(5);
    expect(
      names((await nodes(`?resourceVersion=${old}&resourceVersionMatch=NotOlderThan`)).body),
    ).toHaveLength(4);
    expect(names((await nodes(`?resourceVersion=${old}`)).body)).toHaveLength(4);
    expect(names((await nodes('?resourceVersion=0&limit=1')).body)).toHaveLength(4);
  });

  it.each([
    ['?resourceVersion=999999', 504, 'Too large resource version: 999999'],
    ['?resourceVersion=x', 400, 'invalid resource version "x"'],
    [
      '?resourceVersionMatch=Exact',
      422,
      'resourceVersionMatch is forbidden unless resourceVersion is provided',
    ],
    ['?continue=nonsense', 400, 'continue key is not valid'],
    ['?limit=-1', 400, 'invalid value for limit: "-1"'],
    ['?fieldSelector=spec.x%3D1', 400, 'field label not supported: spec.x'],
  ])('%s is refused with %i', async (query, code, message) => {
    const answer = await nodes(query);
    expect(answer.code).toBe(code);
    expect(answer.body.message).toContain(message);
  });

  it('shows objects of one namespace or of all', async () => {
    for (const namespace of ['default', 'kube-system']) {
      simulator.cluster.create(PODS, { metadata: { name: 'p', namespace }, spec: { nodeName: 'a' } });
    }
    expect((await ask(simulator, '/api/v1/pods')).body.items).toHaveLength(2);
    const { body } = await ask(simulator, '/api/v1/namespaces/default/pods');
    expect(body.items.map(({ metadata }: { metadata: { namespace: string } }) => metadata.namespace)).toEqual(
      ['default'],
    );
  });

  it('comes as a table when the client asks for one', async () => {
    const { body } = await ask(simulator, '/api/v1/nodes', {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    });
    expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(body.rows[0].cells.slice(0, 3)).toEqual(['a', 'Unknown', '<none>']);
    expect(body.rows[0].object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'a' } });
  });
});

it('a list of 15,000 nodes comes in pages within seconds', async () => {
  const big = await startSimulator({
    scenario: {
      speed: 1,
      cluster: {
        name: 'big',
        location: 'us-central1',
        project: 'p',
        version: '1.35.6-gke.1234000',
        gracefulTermination: false,
      },
      pools: [
        {
          name: 'a',
          nodes: 15_000,
          machineType: 'e2-standard-4',
          zones: ['us-central1-a'],
          provisioning: 'standard',
        },
      ],
      history: [],
      events: [],
    },
  });
  const start = performance.now();
  const seen = new Set<string>();
  let token = '';
  do {
    const { body } = await ask(big, `/api/v1/nodes?limit=500&continue=${token}`);
    for (const name of names(body)) seen.add(name);
    token = body.metadata.continue ?? '';
  } while (token !== '');
  expect(seen.size).toBe(15_000);
  expect(performance.now() - start).toBeLessThan(20_000);
  await big.stop();
});
