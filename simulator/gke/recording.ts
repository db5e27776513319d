import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import type { ObjectStore } from '../kubernetes/object-store.ts';
import { NODES, type Node } from '../kubernetes/resource.ts';
import type { Clock } from './clock.ts';
import { becomeNotReady, becomeReady, becomeUnreachable } from './node-condition.ts';
import {
  ACTIVE_NODE_MAINTENANCE,
  PERFORM_MAINTENANCE,
  SCHEDULED_MAINTENANCE_TIME,
  UPCOMING_MAINTENANCE,
} from './node-signal.ts';

const STEP = v.strictObject({
  at: v.pipe(v.string(), v.isoTimestamp()),
  note: v.string(),
  labels: v.record(v.string(), v.string()),
  annotations: v.record(v.string(), v.string()),
  taints: v.array(v.strictObject({ key: v.string(), value: v.optional(v.string()), effect: v.string() })),
  ready: v.picklist(['True', 'False', 'Unknown']),
});

/** The whole state of a node at one instant, in what concerns its maintenance. */
export type RecordedStep = v.InferOutput<typeof STEP>;

/** A GPU fault of an A4 node, its repair at the operator's request, and its recovery, as a poller saw it. */
export const GPU_FAULT_REPAIR = fileURLToPath(
  new URL('../recordings/gpu-fault-repair.jsonl', import.meta.url),
);

/** Reads a recording, one JSON object a line. Throws an error that names file, line and reason. */
export function readRecording(file: string): RecordedStep[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [v.parse(STEP, JSON.parse(line))];
    } catch (error) {
      throw new Error(`${file}:${index + 1}: ${(error as Error).message}`, { cause: error });
    }
  });
}

export interface ReplayOptions {
  /** When the first step is, in Unix milliseconds; default: now, to the second. `exact`: instants stay as recorded. */
  readonly start?: number | 'exact';
  /** How many times faster than recorded; default 1. Instants inside the steps come nearer as well. */
  readonly speed?: number;
}

/** Puts the steps of a recording onto a node, one after the other. */
export class Replay {
  readonly steps: readonly RecordedStep[];
  readonly #store: ObjectStore;
  readonly #node: string;
  readonly #recordedStart: number;
  readonly #start: number;
  readonly #speed: number;
  #next = 0;

  /** The node has to exist. */
  constructor(store: ObjectStore, node: string, steps: readonly RecordedStep[], options: ReplayOptions = {}) {
    const { start = wholeSeconds(Date.now()), speed = 1 } = options;
    this.steps = steps;
    this.#store = store;
    this.#node = node;
    this.#recordedStart = Date.parse(steps[0]?.at ?? '1970-01-01T00:00:00Z');
    this.#start = start === 'exact' ? this.#recordedStart : start;
    this.#speed = start === 'exact' ? 1 : speed;
  }

  /** Makes the next step and returns it, its instants moved; undefined after the last. */
  step(): RecordedStep | undefined {
    const step = this.steps[this.#next];
    if (step === undefined) return undefined;
    this.#next += 1;
    const moved = this.#moved(step);
    this.#store.update(NODES, this.#node, (node) => become(node, moved));
    return moved;
  }

  /** Makes every step at its moved instant. Rejects when the clock stops. */
  async run(clock: Clock): Promise<void> {
    for (let step = this.steps[this.#next]; step !== undefined; step = this.steps[this.#next]) {
      await clock.until(this.#movedInstant(Date.parse(step.at)));
      this.step();
    }
  }

  /** When a step is made, in Unix milliseconds, by its note. Throws if there is none. */
  startOf(note: string): number {
    const step = this.steps.find((each) => each.note === note);
    if (step === undefined) throw new Error(`the recording has no step ${note}`);
    return this.#movedInstant(Date.parse(step.at));
  }

  #movedInstant(recorded: number): number {
    return this.#start + (recorded - this.#recordedStart) / this.#speed;
  }

  #moved(step: RecordedStep): RecordedStep {
    return {
      ...step,
      at: new Date(this.#movedInstant(Date.parse(step.at))).toISOString(),
      labels: this.#movedValues(step.labels),
      annotations: this.#movedValues(step.annotations),
    };
  }

  #movedValues(values: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(values).map(([key, value]) => [
        key,
        key === SCHEDULED_MAINTENANCE_TIME
          ? String(Math.round(this.#movedInstant(Number(value) * 1000) / 1000))
          : this.#movedText(value),
      ]),
    );
  }

  /** Moves each RFC 3339 instant of a text and leaves its style. */
  #movedText(text: string): string {
    return text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?=\+00:00|Z)/gu, (instant) =>
      new Date(wholeSeconds(this.#movedInstant(Date.parse(`${instant}Z`)))).toISOString().slice(0, 19),
    );
  }
}

const RECORDED_KEYS = [
  SCHEDULED_MAINTENANCE_TIME,
  ACTIVE_NODE_MAINTENANCE,
  PERFORM_MAINTENANCE,
  UPCOMING_MAINTENANCE,
];

const BECOME = { True: becomeReady, False: becomeNotReady, Unknown: becomeUnreachable } as const;

/** Makes a node what a step says; what a recording does not tell about is left alone. */
function become(node: Node, { at, labels, annotations, taints, ready }: RecordedStep): void {
  node.metadata.labels = { ...without(node.metadata.labels, RECORDED_KEYS), ...labels };
  node.metadata.annotations = { ...without(node.metadata.annotations, RECORDED_KEYS), ...annotations };
  BECOME[ready](node, Date.parse(at));
  node.spec.taints = taints.map(({ key, value, effect }) => ({
    key,
    ...(value === undefined ? {} : { value }),
    effect,
  }));
}

function without(
  map: Readonly<Record<string, string>> | undefined,
  keys: readonly string[],
): Record<string, string> {
  return Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => !keys.includes(key)));
}

function wholeSeconds(milliseconds: number): number {
  return Math.round(milliseconds / 1000) * 1000;
}
