import { EventEmitter, once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NAMESPACES, NODES } from '../../simulator/kubernetes/resource.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../simulator/simulator.ts';
import { loadKubeConfig } from './kubeconfig.ts';
import type { KubernetesError } from './kubernetes-error.ts';
import { Reflector, type ReflectorSink, type ReflectorTimes } from './reflector.ts';

interface Named {
  readonly name: string;
  readonly team: string | undefined;
}

/** Names that the parser refuses, as it would an object of another kind. */
const UNREADABLE = 'unreadable';

function parse(object: unknown): Named {
  const { metadata } = object as { metadata: { name: string; labels?: Record<string, string> } };
  if (metadata.labels?.team === UNREADABLE) throw new Error('cannot be read');
  return { name: metadata.name, team: metadata.labels?.team };
}

/** What a reflector has reported. Everything is awaited, nothing slept for. */
class Follower implements ReflectorSink<Named> {
  readonly objects = new Map<string, Named>();
  readonly changes: string[] = [];
  readonly failures: string[] = [];
  readonly skips: Error[] = [];
  readonly relists: string[] = [];
  readonly ends: string[] = [];
  readonly events: string[] = [];
  syncs = 0;
  readonly #emitter = new EventEmitter();

  readonly upsert = (uid: string, object: Named): void => {
    const before = this.objects.get(uid);
    if (before?.team !== object.team || before === undefined)
      this.changes.push(`${object.name}=${object.team}`);
    this.objects.set(uid, object);
    this.#changed();
  };
  readonly remove = (uid: string): void => {
    this.changes.push(`${this.objects.get(uid)?.name} gone`);
    this.objects.delete(uid);
    this.#changed();
  };
  readonly synced = (): void => {
    this.syncs += 1;
    this.#changed();
  };
  readonly heard = (): void => this.#changed();
  readonly failed = (error: Error): void => {
    this.failures.push((error as KubernetesError).reason);
    this.#changed();
  };
  readonly skipped = (error: Error): void => {
    this.skips.push(error);
    this.#changed();
  };
  readonly relisting = (reason: string): void => {
    this.relists.push(reason);
  };
  readonly watchEnded = (reason: string): void => {
    this.ends.push(reason);
    this.#changed();
  };
  readonly received = (type: string): void => {
    this.events.push(type);
  };

  /** Until something holds; vitest's time-out ends it if it never does. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await once(this.#emitter, 'change');
  }

  teams(): Record<string, string | undefined> {
    return Object.fromEntries([...this.objects.values()].map(({ name, team }) => [name, team]));
  }

  #changed(): void {
    this.#emitter.emit('change');
  }
}

const FAST: Partial<ReflectorTimes> = {
  firstBackoff: 20,
  longestBackoff: 200,
  shortestWatch: 10,
  head: 2000,
};

let folder: string;
let simulator: Simulator;
let follower: Follower;
let stop = async (): Promise<void> => undefined;

function follow(
  options: { times?: Partial<ReflectorTimes>; pageSize?: number; kubeconfig?: string } = {},
): void {
  const abort = new AbortController();
  const kubeconfig = options.kubeconfig ?? simulator.kubeconfigPath;
  const ended = new Reflector({
    resource: { plural: 'nodes', path: '/api/v1/nodes', parse },
    sink: follower,
    loadKubeConfig: () => loadKubeConfig({ kubeconfig, context: undefined }),
    pageSize: options.pageSize ?? 500,
    times: { ...FAST, ...options.times },
  }).run(abort.signal);
  stop = async () => {
    abort.abort();
    await ended;
  };
}

function putNode(name: string, team?: string): void {
  simulator.cluster.put(NODES, { metadata: { name, ...(team === undefined ? {} : { labels: { team } }) } });
}

function setTeam(name: string, team: string): void {
  simulator.cluster.update(NODES, name, (node) => {
    node.metadata.labels = { ...node.metadata.labels, team };
  });
}

async function start(options: SimulatorOptions = {}): Promise<void> {
  simulator = await startSimulator(options);
  follower = new Follower();
}

async function watching(count = 1): Promise<void> {
  await simulator.requests.reached('watch nodes', count);
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reflector-'));
  await start();
});
afterEach(async () => {
  await stop();
  await simulator.stop();
  rmSync(folder, { recursive: true });
});

describe('Reflector, listing', () => {
  it('lists in pages and reports every object once', async () => {
    for (let number = 0; number < 25; number += 1) putNode(`node-${number}`);
    follow({ pageSize: 10 });
    await watching();
    expect(follower.objects.size).toBe(25);
    expect(follower.changes).toHaveLength(25);
    expect(simulator.requests.count('list nodes')).toBe(3);
    expect(follower).toMatchObject({ syncs: 1, relists: ['start'], failures: [] });
  });

  it('is content with a cluster without nodes', async () => {
    follow();
    await watching();
    expect(follower).toMatchObject({ syncs: 1, changes: [] });
  });

  it('begins anew with longer pages when a page token has expired, and at last asks for all at once', async () => {
    for (let number = 0; number < 25; number += 1) putNode(`node-${number}`);
    simulator.faults.add({
      match: { verb: 'list', page: 2 },
      times: 'always',
      fault: { kind: 'status', code: 410, reason: 'Expired' },
    });
    follow({ pageSize: 2 });
    await watching();
    expect(follower.objects.size).toBe(25);
    expect(follower.changes).toHaveLength(25);
    expect(follower.failures).toEqual([]);
  });

  it('forgets what vanished between a list that was cut short and the next', async () => {
    for (let number = 0; number < 4; number += 1) putNode(`node-${number}`);
    simulator.faults.add({ match: { verb: 'list', page: 2 }, fault: { kind: 'status', code: 500 } });
    follow({ pageSize: 2 });
    await follower.until(() => follower.failures.length === 1);
    simulator.cluster.delete(NODES, 'node-0');
    await watching();
    expect(Object.keys(follower.teams())).toEqual(['node-1', 'node-2', 'node-3']);
  });

  it.each([
    ['an error of the server', { kind: 'status', code: 500 }, 'server_error'],
    ['a server that is not ready', { kind: 'status', code: 503 }, 'server_error'],
    ['missing permission', { kind: 'status', code: 403 }, 'forbidden'],
    ['a token that is refused', { kind: 'status', code: 401 }, 'unauthorized'],
    ['a path that is not there', { kind: 'status', code: 404 }, 'not_found'],
    ['too many requests', { kind: 'status', code: 429, retryAfterSeconds: 1 }, 'throttled'],
    ['a connection that is cut before an answer', { kind: 'reset', when: 'before answering' }, 'connection'],
    ['a connection that is cut within an answer', { kind: 'reset', when: 'while answering' }, 'connection'],
    ['an answer that is no JSON', { kind: 'text', text: '<html>' }, 'invalid_answer'],
    ['an answer that is no list', { kind: 'text', text: '{"kind":"Status"}' }, 'invalid_answer'],
    ['a gateway that answers nothing', { kind: 'text', text: '' }, 'invalid_answer'],
  ] as const)('tries again after %s', async (_, fault, reason) => {
    putNode('node-1');
    simulator.faults.add({ match: { verb: 'list' }, times: 2, fault });
    follow();
    await watching();
    expect(follower.failures).toEqual([reason, reason]);
    expect(follower.teams()).toEqual({ 'node-1': undefined });
  });

  it('skips items that are no objects, and reports the others', async () => {
    putNode('node-1');
    putNode('node-2', UNREADABLE);
    follow();
    await watching();
    expect(follower.teams()).toEqual({ 'node-1': undefined });
    expect(follower.skips.map(({ message }) => message)).toEqual(['cannot be read']);
  });

  it('skips items without metadata', async () => {
    putNode('node-1');
    simulator.faults.add({ match: { verb: 'list' }, fault: { kind: 'items without metadata' } });
    follow();
    await watching();
    expect(follower).toMatchObject({ syncs: 1, changes: [] });
    expect(follower.skips).toHaveLength(1);
  });
});

describe('Reflector, watching', () => {
  it('reports what is made, changed and removed', async () => {
    putNode('node-1', 'a');
    follow();
    await watching();
    putNode('node-2', 'a');
    setTeam('node-1', 'b');
    simulator.cluster.delete(NODES, 'node-2');
    await follower.until(() => follower.changes.length === 4);
    expect(follower.changes).toEqual(['node-1=a', 'node-2=a', 'node-1=b', 'node-2 gone']);
    expect(simulator.requests.count('list nodes')).toBe(1);
  });

  it('takes a node made anew under its name for another one', async () => {
    putNode('node-1', 'a');
    follow();
    await watching();
    simulator.cluster.delete(NODES, 'node-1');
    putNode('node-1');
    await follower.until(() => follower.changes.length === 3);
    expect(follower.changes).toEqual(['node-1=a', 'node-1 gone', 'node-1=undefined']);
    expect(follower.objects.size).toBe(1);
  });

  it('resumes where a watch ended, without listing', async () => {
    putNode('node-1', 'a');
    follow({ times: { watchSeconds: 1 } });
    await watching(2);
    setTeam('node-1', 'b');
    await follower.until(() => follower.changes.length === 2);
    expect(follower.ends).toContain('closed');
    expect(follower.failures).toEqual([]);
    expect(simulator.requests.count('list nodes')).toBe(1);
  });

  it('misses nothing that happens while no watch is open', async () => {
    putNode('node-1', 'a');
    follow();
    await watching();
    simulator.faults.add({ match: { verb: 'watch' }, times: 3, fault: { kind: 'status', code: 503 } });
    simulator.faults.strikeOpenWatches('nodes', { kind: 'cut' });
    await follower.until(() => follower.failures.includes('server_error'));
    setTeam('node-1', 'b');
    putNode('node-2', 'c');
    simulator.cluster.delete(NODES, 'node-1');
    await follower.until(() => follower.changes.includes('node-1 gone'));
    expect(follower.changes).toEqual(['node-1=a', 'node-1=b', 'node-2=c', 'node-1 gone']);
    expect(simulator.requests.count('list nodes')).toBe(1);
  });

  it('goes on from a bookmark, even when the history before it is gone', async () => {
    await stop();
    await simulator.stop();
    await start({ bookmarkIntervalMs: 20 });
    putNode('node-1', 'a');
    follow();
    await watching();
    simulator.cluster.put(NAMESPACES, { metadata: { name: 'elsewhere' } });
    const { revision } = simulator.cluster;
    await follower.until(() => follower.events.includes('BOOKMARK'));
    const bookmarks = follower.events.length;
    await follower.until(() => follower.events.length > bookmarks + 1);
    simulator.cluster.compact(revision);
    simulator.faults.strikeOpenWatches('nodes', { kind: 'cut' });
    await watching(2);
    setTeam('node-1', 'b');
    await follower.until(() => follower.changes.length === 2);
    expect(follower.relists).toEqual(['start']);
  });

  it.each(['status', 'error event'] as const)(
    'lists again when its version is gone, told by %s',
    async (expiredWatch) => {
      putNode('node-1', 'a');
      putNode('node-2', 'a');
      follow();
      await watching();
      simulator.expiredWatch = expiredWatch;
      simulator.faults.add({ match: { verb: 'watch' }, fault: { kind: 'status', code: 503 } });
      simulator.faults.strikeOpenWatches('nodes', { kind: 'cut' });
      simulator.cluster.delete(NODES, 'node-2');
      setTeam('node-1', 'b');
      simulator.cluster.compact();
      await follower.until(() => follower.syncs === 2);
      expect(follower.relists).toEqual(['start', 'gone']);
      expect(follower.teams()).toEqual({ 'node-1': 'b' });
    },
  );

  it('changes nothing by a list that brings nothing new', async () => {
    putNode('node-1', 'a');
    follow();
    await watching();
    simulator.faults.strikeOpenWatches('nodes', { kind: 'error event', code: 410, reason: 'Expired' });
    await follower.until(() => follower.syncs === 2);
    expect(follower.changes).toEqual(['node-1=a']);
  });

  it.each([
    ['an ERROR event', { kind: 'error event', code: 500 }, 'server_error'],
    ['an ERROR event that says to wait', { kind: 'error event', code: 429 }, 'throttled'],
    ['a line that is no JSON', { kind: 'line', text: '{"type":"MODI' }, 'invalid_answer'],
    ['a line that is no event', { kind: 'line', text: '{"kind":"Node"}' }, 'invalid_answer'],
    [
      'an event of an unknown type',
      { kind: 'line', text: '{"type":"RENAMED","object":{}}' },
      'invalid_answer',
    ],
  ] as const)('resumes after %s, and counts it', async (_, fault, reason) => {
    putNode('node-1', 'a');
    follow();
    await watching();
    simulator.faults.strikeOpenWatches('nodes', fault);
    await follower.until(() => follower.ends.length === 1);
    setTeam('node-1', 'b');
    await follower.until(() => follower.changes.length === 2);
    expect(follower.ends).toEqual([reason]);
    expect(follower.failures).toEqual([reason]);
    expect(simulator.requests.count('list nodes')).toBe(1);
  });

  it('resumes after an event that was cut in its middle, and takes it whole', async () => {
    putNode('node-1', 'a');
    follow();
    await watching();
    simulator.faults.strikeOpenWatches('nodes', { kind: 'truncated line' });
    setTeam('node-1', 'b');
    await follower.until(() => follower.changes.length === 2);
    expect(follower.teams()).toEqual({ 'node-1': 'b' });
  });

  it('skips an event without metadata, and takes the next one of the same watch', async () => {
    putNode('node-1', 'a');
    follow();
    await watching();
    simulator.faults.strikeOpenWatches('nodes', { kind: 'event without metadata' });
    setTeam('node-1', 'b');
    await follower.until(() => follower.skips.length === 1);
    setTeam('node-1', 'c');
    await follower.until(() => follower.changes.length === 2);
    expect(follower.teams()).toEqual({ 'node-1': 'c' });
    expect(simulator.requests.count('watch nodes')).toBe(1);
  });

  it('withdraws an object that cannot be read any more, until it can', async () => {
    putNode('node-1', 'a');
    follow();
    await watching();
    setTeam('node-1', UNREADABLE);
    await follower.until(() => follower.objects.size === 0);
    setTeam('node-1', 'b');
    await follower.until(() => follower.objects.size === 1);
    expect(follower.changes).toEqual(['node-1=a', 'node-1 gone', 'node-1=b']);
  });

  it('notices a connection that fell silent, and opens another', async () => {
    putNode('node-1', 'a');
    follow({ times: { silence: 1000 } });
    await watching();
    simulator.faults.strikeOpenWatches('nodes', { kind: 'silence' });
    setTeam('node-1', 'b');
    await follower.until(() => follower.changes.length === 2);
    expect(follower.ends).toEqual(['timeout']);
  });

  it('never has two watches open, whatever happens to them', async () => {
    putNode('node-1', 'a');
    follow();
    for (let round = 1; round <= 5; round += 1) {
      await watching(round);
      expect(simulator.requests.openWatches('nodes')).toBe(1);
      simulator.faults.strikeOpenWatches('nodes', { kind: 'cut', cleanly: round % 2 === 0 });
      setTeam('node-1', `round-${round}`);
    }
    await follower.until(() => follower.teams()['node-1'] === 'round-5');
  });

  it('backs off from a server that ends each watch at once', async () => {
    follow({ times: { firstBackoff: 100, longestBackoff: 1000, shortestWatch: 1000 } });
    simulator.faults.add({
      match: { verb: 'watch' },
      times: 'always',
      fault: { kind: 'cut', cleanly: true },
    });
    await follower.until(() => follower.failures.length === 3);
    expect(simulator.requests.count('watch nodes')).toBe(3);
    expect(simulator.requests.count('list nodes')).toBe(1);
  });

  it('lists now and then while watches are refused', async () => {
    putNode('node-1', 'a');
    simulator.faults.add({ match: { verb: 'watch' }, times: 'always', fault: { kind: 'status', code: 403 } });
    follow();
    await follower.until(() => follower.syncs === 1);
    setTeam('node-1', 'b');
    await follower.until(() => follower.syncs === 2);
    expect(follower.relists).toEqual(['start', 'watch_failed']);
    expect(follower.teams()).toEqual({ 'node-1': 'b' });
    expect(new Set(follower.failures)).toEqual(new Set(['forbidden']));
  });

  it('ends at once when it is told to, and leaves no connection behind', async () => {
    follow();
    await watching();
    const ended = simulator.requests.nextEnd('watch nodes');
    await stop();
    await ended;
    expect(simulator.requests.openWatches('nodes')).toBe(0);
    expect(follower.failures).toEqual([]);
  });
});

describe('Reflector, credentials', () => {
  it('takes the new token of a kubeconfig that was written anew', async () => {
    putNode('node-1', 'a');
    follow();
    await watching();
    simulator.rotateToken();
    simulator.faults.strikeOpenWatches('nodes', { kind: 'cut' });
    await watching(2);
    setTeam('node-1', 'b');
    await follower.until(() => follower.changes.length === 2);
    expect(follower.relists).toEqual(['start']);
  });

  it('waits for a token file to be rotated, and takes it', async () => {
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'first\n');
    await simulator.stop();
    await start({ tokenFile });
    follow();
    await watching();
    writeFileSync(tokenFile, 'second\n');
    simulator.faults.strikeOpenWatches('nodes', { kind: 'cut' });
    await watching(2);
    expect(follower.relists).toEqual(['start']);
  });

  it('says that a kubeconfig is missing, and follows once it is there', async () => {
    const kubeconfig = join(folder, 'kubeconfig');
    follow({ kubeconfig });
    await follower.until(() => follower.failures.length === 1);
    expect(follower.failures).toEqual(['credentials']);
    copyFileSync(simulator.kubeconfigPath, kubeconfig);
    await watching();
  });

  it('names a certificate that is not of the authority', async () => {
    const stranger = await startSimulator();
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(
      kubeconfig,
      readFileSync(stranger.kubeconfigPath, 'utf8').replace(stranger.url, simulator.url),
    );
    follow({ kubeconfig });
    await follower.until(() => follower.failures.length === 1);
    expect(follower.failures).toEqual(['certificate']);
    await stranger.stop();
  });

  it('names a server that is not there', async () => {
    const kubeconfig = join(folder, 'kubeconfig');
    copyFileSync(simulator.kubeconfigPath, kubeconfig);
    await simulator.stop();
    follow({ kubeconfig });
    await follower.until(() => follower.failures.length === 2);
    expect(follower.failures).toEqual(['connection', 'connection']);
  });

  it('does not wait for ever for the head of an answer', async () => {
    simulator.faults.add({ match: { verb: 'list' }, fault: { kind: 'delay', milliseconds: 5000 } });
    follow({ times: { head: 500 } });
    await follower.until(() => follower.failures.length === 1);
    expect(follower.failures).toEqual(['timeout']);
  });
});
