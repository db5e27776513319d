import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ObjectStore } from '../kubernetes/object-store.ts';
import { NODES } from '../kubernetes/resource.ts';
import { Clock } from './clock.ts';
import { readyStatus } from './node-condition.ts';
import { UPCOMING_MAINTENANCE } from './node-signal.ts';
import { GPU_FAULT_REPAIR, Replay, readRecording } from './recording.ts';
import { parseScenario } from './scenario.ts';
import { SimulatedCluster } from './simulated-cluster.ts';

const store = new ObjectStore();
const machines = new SimulatedCluster(store, parseScenario({ pools: [{ name: 'a4', nodes: 1 }] }, 'test'));
const [node = ''] = machines.nodesOf('a4');
const steps = readRecording(GPU_FAULT_REPAIR);

beforeEach(() => {
  if (store.get(NODES, node) !== undefined) store.delete(NODES, node);
  machines.createNode(node);
});

const record = () => store.get(NODES, node)?.metadata.annotations?.[UPCOMING_MAINTENANCE];

describe('a replay', () => {
  it('puts exactly the recorded state onto the node, step by step', () => {
    const replay = new Replay(store, node, steps, { start: 'exact' });
    for (const recorded of steps) {
      expect(replay.step()).toEqual({ ...recorded, at: expect.any(String) });
      const state = store.get(NODES, node);
      expect(state?.metadata.labels).toMatchObject(recorded.labels);
      expect(record()).toBe(recorded.annotations[UPCOMING_MAINTENANCE]);
      expect(state?.spec.taints).toEqual(recorded.taints);
      expect(state === undefined ? undefined : readyStatus(state)).toBe(recorded.ready);
    }
    expect(replay.step()).toBeUndefined();
  });

  it('moves every instant by the same amount, so that the first step is now', () => {
    const replay = new Replay(store, node, steps);
    expect(Math.abs(Date.parse(replay.step()?.at ?? '') - Date.now())).toBeLessThan(1500);
    const step = replay.step();
    const { window_start_time: start, window_end_time: end } = JSON.parse(record() ?? '');
    // In the recording the window began 7 d 1 h 35 min 43 s after the record appeared.
    expect((Date.parse(start) - Date.parse(step?.at ?? '')) / 1000).toBeCloseTo(610_543, -1);
    expect(Date.parse(end) - Date.parse(start)).toBe(4 * 3_600_000);
  });

  it('brings instants nearer when it is sped up', async () => {
    const replay = new Replay(store, node, steps, { speed: 1_000_000 });
    await replay.run(new Clock(1));
    expect(record()).toBeUndefined();
    expect(replay.step()).toBeUndefined();
  });
});

it('a bad recording is refused with file, line and reason', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recording-'));
  const file = join(folder, 'bad.jsonl');
  writeFileSync(file, `\n{"at": "yesterday"}\n`);
  expect(() => readRecording(file)).toThrow(`${file}:2: Invalid timestamp`);
  rmSync(folder, { recursive: true });
});
