import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../simulator.ts';
import { ask, openWatch } from '../test-client.ts';
import { NODES } from './resource.ts';

let simulator: Simulator;

beforeEach(async () => {
  simulator = await startSimulator({ bookmarkIntervalMs: 50 });
  for (const name of ['a', 'b']) add(name, { pool: name });
});
afterEach(async () => {
  await simulator.stop();
});

function add(name: string, labels: Record<string, string> = {}): void {
  simulator.cluster.create(NODES, { metadata: { name, labels }, spec: {}, status: {} });
}

function relabel(name: string, labels: Record<string, string>): void {
  simulator.cluster.update(NODES, name, (node) => {
    node.metadata.labels = labels;
  });
}

const WATCH = '/api/v1/nodes?watch=true';
const brief = (line: { type: string; object: { metadata: { name?: string } } } | undefined) =>
  line === undefined ? 'end' : `${line.type} ${line.object.metadata.name}`;

describe('a watch', () => {
  it('without a revision begins with all objects and goes on with changes', async () => {
    const watch = await openWatch(simulator, WATCH);
    expect([brief(await watch.next()), brief(await watch.next())]).toEqual(['ADDED a', 'ADDED b']);
    relabel('a', { pool: 'x' });
    simulator.cluster.delete(NODES, 'b');
    expect([brief(await watch.next()), brief(await watch.next())]).toEqual(['MODIFIED a', 'DELETED b']);
    watch.close();
    await simulator.requests.nextEnd('watch nodes');
    expect(simulator.requests.openWatches('nodes')).toBe(0);
  });

  it('from a revision begins with what the client has missed', async () => {
    const { revision } = simulator.cluster;
    relabel('a', { pool: 'x' });
    add('c');
    const watch = await openWatch(simulator, `${WATCH}&resourceVersion=${revision}`);
    const missed = await watch.next();
    expect(missed?.object).toMatchObject({
      kind: 'Node',
      apiVersion: 'v1',
      metadata: { resourceVersion: `${revision + 1}` },
    });
    expect(brief(await watch.next())).toBe('ADDED c');
    watch.close();
  });

  it('shows what enters and leaves its selection as added and deleted', async () => {
    const watch = await openWatch(simulator, `${WATCH}&labelSelector=pool%3Da`);
    expect(brief(await watch.next())).toBe('ADDED a');
    relabel('b', { pool: 'a' });
    relabel('a', { pool: 'b' });
    relabel('a', { pool: 'c' });
    simulator.cluster.delete(NODES, 'b');
    expect(brief(await watch.next())).toBe('ADDED b');
    const left = await watch.next();
    expect(brief(left)).toBe('DELETED a');
    expect(left?.object.metadata.labels).toEqual({ pool: 'a' });
    expect(brief(await watch.next())).toBe('DELETED b');
    watch.close();
  });

  it('sends bookmarks, also of revisions of other objects', async () => {
    const { revision } = simulator.cluster;
    const watch = await openWatch(simulator, `${WATCH}&allowWatchBookmarks=true&resourceVersion=${revision}`);
    simulator.cluster.delete(NODES, 'a');
    expect(brief(await watch.next())).toBe('DELETED a');
    const bookmark = await watch.next();
    expect(bookmark).toMatchObject({
      type: 'BOOKMARK',
      object: { kind: 'Node', metadata: { resourceVersion: `${revision + 1}` } },
    });
    watch.close();
  });

  it('ends at its time-out, after a last bookmark', async () => {
    const slow = await startSimulator();
    const watch = await openWatch(
      slow,
      `${WATCH}&allowWatchBookmarks=1&timeoutSeconds=1&resourceVersion=${slow.cluster.revision}`,
    );
    expect((await watch.next())?.type).toBe('BOOKMARK');
    expect(await watch.next()).toBeUndefined();
    await slow.stop();
  });

  it('from a compacted revision is refused with 410', async () => {
    const { revision } = simulator.cluster;
    relabel('a', {});
    simulator.cluster.compact();
    const { code, body } = await ask(simulator, `${WATCH}&resourceVersion=${revision}`);
    expect(code).toBe(410);
    expect(body).toMatchObject({
      reason: 'Expired',
      message: `too old resource version: ${revision} (${revision + 1})`,
    });
  });

  it('from a compacted revision can be answered by an ERROR event, as by the watch cache', async () => {
    const { revision } = simulator.cluster;
    relabel('a', {});
    simulator.cluster.compact();
    simulator.expiredWatch = 'error event';
    const watch = await openWatch(simulator, `${WATCH}&resourceVersion=${revision}`);
    expect(watch.code).toBe(200);
    expect(await watch.next()).toMatchObject({
      type: 'ERROR',
      object: { kind: 'Status', code: 410, reason: 'Expired' },
    });
    expect(await watch.next()).toBeUndefined();
  });

  it('goes on when it is compacted under it', async () => {
    const watch = await openWatch(simulator, `${WATCH}&resourceVersion=${simulator.cluster.revision}`);
    relabel('a', { pool: 'x' });
    simulator.cluster.compact();
    relabel('b', { pool: 'x' });
    expect([brief(await watch.next()), brief(await watch.next())]).toEqual(['MODIFIED a', 'MODIFIED b']);
    watch.close();
  });

  it('sends tables, of which only the first names the columns', async () => {
    const watch = await openWatch(simulator, WATCH, 'application/json;as=Table;v=v1;g=meta.k8s.io');
    const [first, second] = [await watch.next(), await watch.next()];
    expect(first?.object.columnDefinitions).toHaveLength(10);
    expect(second?.object.columnDefinitions).toBeNull();
    expect(second?.object.rows[0].cells[0]).toBe('b');
    watch.close();
  });

  it('with sendInitialEvents is refused, as by servers without that feature', async () => {
    const { code } = await ask(
      simulator,
      `${WATCH}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
    );
    expect(code).toBe(422);
  });
});

it('the history forgets the oldest changes when it is full', async () => {
  const short = await startSimulator({ historyLength: 5 });
  short.cluster.create(NODES, { metadata: { name: 'a' }, spec: {}, status: {} });
  const { revision } = short.cluster;
  for (let turn = 0; turn < 20; turn += 1) {
    short.cluster.update(NODES, 'a', (node) => {
      node.metadata.labels = { turn: `${turn}` };
    });
  }
  expect((await ask(short, `${WATCH}&resourceVersion=${revision}`)).code).toBe(410);
  const watch = await openWatch(short, `${WATCH}&resourceVersion=${short.cluster.revision - 5}`);
  expect((await watch.next())?.object.metadata.labels).toEqual({ turn: '15' });
  await short.stop();
});
