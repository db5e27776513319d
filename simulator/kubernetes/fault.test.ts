import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../simulator.ts';
import { ask, openWatch } from '../test-client.ts';
import type { FaultInput } from './fault.ts';
import { NODES } from './resource.ts';

let simulator: Simulator;

beforeEach(async () => {
  simulator = await startSimulator();
  for (const name of ['a', 'b', 'c'])
    simulator.cluster.create(NODES, { metadata: { name }, spec: {}, status: {} });
});
afterEach(async () => {
  await simulator.stop();
});

const NODE_LIST = '/api/v1/nodes';
const WATCH = '/api/v1/nodes?watch=true';

describe('a fault of an answer', () => {
  it.each([401, 403, 404, 410, 500, 503])('gives the HTTP status %i with a Status, once', async (code) => {
    simulator.faults.add({ fault: { kind: 'status', code } });
    const { code: answered, body } = await ask(simulator, NODE_LIST);
    expect(answered).toBe(code);
    expect(body).toMatchObject({ kind: 'Status', status: 'Failure', code });
    expect((await ask(simulator, NODE_LIST)).code).toBe(200);
  });

  it('gives 429 with Retry-After', async () => {
    simulator.faults.add({ fault: { kind: 'status', code: 429, retryAfterSeconds: 7 } });
    const { headers, body } = await ask(simulator, NODE_LIST);
    expect(headers['retry-after']).toBe('7');
    expect(body.details.retryAfterSeconds).toBe(7);
  });

  it.each(['before answering', 'while answering'] as const)('resets the connection %s', async (when) => {
    simulator.faults.add({ match: { verb: 'list' }, fault: { kind: 'reset', when } });
    await expect(ask(simulator, NODE_LIST)).rejects.toThrow();
    expect(simulator.requests.count('list nodes')).toBe(1);
  });

  it('meets only the page that it is for', async () => {
    simulator.faults.add({ match: { page: 2 }, fault: { kind: 'status', code: 500 } });
    const first = await ask(simulator, `${NODE_LIST}?limit=1`);
    expect(first.code).toBe(200);
    expect((await ask(simulator, `${NODE_LIST}?limit=1&continue=${first.body.metadata.continue}`)).code).toBe(
      500,
    );
  });

  it('meets as many requests as it says, or all until it is cancelled', async () => {
    simulator.faults.add({ match: { resource: 'nodes' }, times: 2, fault: { kind: 'status', code: 500 } });
    const codes: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) codes.push((await ask(simulator, NODE_LIST)).code);
    expect(codes).toEqual([500, 500, 200]);
    const cancel = simulator.faults.add({ times: 'always', fault: { kind: 'status', code: 503 } });
    expect((await ask(simulator, NODE_LIST)).code).toBe(503);
    cancel();
    expect((await ask(simulator, NODE_LIST)).code).toBe(200);
  });

  it('delays, answers with another text, and loses metadata', async () => {
    simulator.faults.add({ fault: { kind: 'delay', milliseconds: 60 } });
    simulator.faults.add({ fault: { kind: 'text', text: '<html>' } });
    const start = performance.now();
    expect(await ask(simulator, NODE_LIST)).toMatchObject({ code: 200, body: '<html>' });
    expect(performance.now() - start).toBeGreaterThan(50);
    simulator.faults.add({ fault: { kind: 'items without metadata' } });
    expect((await ask(simulator, NODE_LIST)).body.items[0]).not.toHaveProperty('metadata');
  });
});

describe('a fault of a watch', () => {
  const fault = (one: FaultInput['fault']) => simulator.faults.add({ match: { verb: 'watch' }, fault: one });

  it('cuts the connection after some events', async () => {
    fault({ kind: 'cut', afterEvents: 2 });
    const watch = await openWatch(simulator, WATCH);
    await watch.next();
    await watch.next();
    await expect(watch.next()).rejects.toThrow('aborted');
  });

  it('ends it cleanly', async () => {
    fault({ kind: 'cut', afterEvents: 3, cleanly: true });
    const watch = await openWatch(simulator, WATCH);
    const types = [await watch.next(), await watch.next(), await watch.next(), await watch.next()];
    expect(types.map((line) => line?.type)).toEqual(['ADDED', 'ADDED', 'ADDED', undefined]);
  });

  it('sends another line, and goes on', async () => {
    fault({ kind: 'line', text: 'not json', afterEvents: 1 });
    const watch = await openWatch(simulator, WATCH);
    await watch.next();
    expect(await watch.nextText()).toBe('not json');
    expect((await watch.next())?.object.metadata.name).toBe('b');
    watch.close();
  });

  it('truncates a line', async () => {
    fault({ kind: 'truncated line', afterEvents: 1 });
    const watch = await openWatch(simulator, WATCH);
    await watch.next();
    await expect(watch.nextText().then((text) => JSON.parse(text ?? ''))).rejects.toThrow();
  });

  it('sends an ERROR event and ends', async () => {
    fault({ kind: 'error event', code: 500, reason: 'InternalError', message: 'etcd is sad' });
    const watch = await openWatch(simulator, WATCH);
    expect(await watch.next()).toMatchObject({
      type: 'ERROR',
      object: { code: 500, message: 'etcd is sad' },
    });
    expect(await watch.next()).toBeUndefined();
  });

  it('loses the metadata of an event, and goes on', async () => {
    fault({ kind: 'event without metadata', afterEvents: 1 });
    const watch = await openWatch(simulator, WATCH);
    const lines = [await watch.next(), await watch.next(), await watch.next()];
    expect(lines.map((line) => line?.object.metadata?.name)).toEqual(['a', undefined, 'c']);
    watch.close();
  });

  it('silences the open ones: not even their time-out comes', async () => {
    const watch = await openWatch(
      simulator,
      `${WATCH}&timeoutSeconds=1&resourceVersion=${simulator.cluster.revision}`,
    );
    expect(simulator.faults.strikeOpenWatches('nodes', { kind: 'silence' })).toBe(1);
    simulator.cluster.delete(NODES, 'a');
    const line = watch.next();
    const silent = new Promise((resolve) => {
      setTimeout(resolve, 1300, 'silent');
    });
    expect(await Promise.race([line, silent])).toBe('silent');
    watch.close();
  });
});

describe('other processes', () => {
  it('plan faults, compact and count requests by HTTP', async () => {
    const body = { match: { verb: 'list' }, fault: { kind: 'status', code: 503 } };
    expect((await ask(simulator, '/simulator/faults', { method: 'POST', body })).code).toBe(204);
    expect((await ask(simulator, NODE_LIST)).code).toBe(503);
    await ask(simulator, '/simulator/faults', { method: 'POST', body });
    await ask(simulator, '/simulator/faults', { method: 'DELETE' });
    expect((await ask(simulator, NODE_LIST)).code).toBe(200);
    expect((await ask(simulator, '/simulator/requests')).body).toEqual({ 'list nodes': 2 });
    await ask(simulator, '/simulator/compact', { method: 'POST' });
    expect(simulator.cluster.compactedRevision).toBe(simulator.cluster.revision);
  });

  it('are told what is wrong with a fault', async () => {
    const body = { fault: { kind: 'status', code: 200 } };
    const { code, body: answer } = await ask(simulator, '/simulator/faults', { method: 'POST', body });
    expect(code).toBe(400);
    expect(answer.message).toContain('fault');
  });
});

it('a test that awaits what does not come is told what came', async () => {
  await ask(simulator, NODE_LIST);
  await expect(simulator.requests.next('watch nodes', 20)).rejects.toThrow(
    'no \'watch nodes\' within 20 ms; seen: {"list nodes":1}',
  );
  await simulator.requests.reached('list nodes', 1);
});
