import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { parse } from 'yaml';
import { parseDuration } from '../../exporter/config/duration.ts';

const DURATION = v.pipe(
  v.string('expected a duration'),
  v.check((text) => parseDuration(text) !== undefined, 'expected a duration'),
  v.transform((text) => parseDuration(text) ?? 0),
);
const NAME = v.pipe(
  v.string('expected a name'),
  v.regex(/^[a-z](?:[-a-z0-9]*[a-z0-9])?$/u, 'expected a name of small letters, digits and hyphens'),
);
const COUNT = v.pipe(
  v.number('expected a whole number from 1'),
  v.integer('expected a whole number from 1'),
  v.minValue(1, 'expected a whole number from 1'),
);
const INDEX = v.pipe(
  v.number('expected a whole number from 0'),
  v.integer('expected a whole number from 0'),
  v.minValue(0, 'expected a whole number from 0'),
);
const TEXT = v.pipe(v.string('expected a text'), v.nonEmpty('expected a text'));
const BOOLEAN = v.boolean('expected true or false');
const SPEED = v.pipe(v.number('expected a positive number'), v.gtValue(0, 'expected a positive number'));
const VERSION = v.pipe(
  v.string('expected a GKE version'),
  v.regex(/^\d+\.\d+\.\d+-gke\.\d+$/u, 'expected a GKE version, such as 1.35.6-gke.1234000'),
);
const ZONE = v.pipe(
  v.string('expected a zone'),
  v.regex(/^[a-z]+-[a-z]+\d+-[a-z]$/u, 'expected a zone, such as us-central1-b'),
);

const CLUSTER = v.strictObject({
  name: v.optional(NAME, 'simulated'),
  /** Region or zone. */
  location: v.optional(TEXT, 'us-central1'),
  project: v.optional(NAME, 'simulated-project'),
  version: v.optional(VERSION, '1.35.6-gke.1234000'),
  gracefulTermination: v.optional(BOOLEAN, false),
});

const POOL = v.strictObject({
  name: NAME,
  nodes: COUNT,
  machineType: v.optional(TEXT, 'e2-standard-4'),
  zones: v.optional(v.pipe(v.array(ZONE), v.minLength(1, 'expected a zone')), ['us-central1-b']),
  accelerator: v.optional(v.strictObject({ type: TEXT, count: COUNT })),
  tpu: v.optional(
    v.strictObject({
      accelerator: TEXT,
      topology: v.pipe(TEXT, v.regex(/^\d+x\d+(?:x\d+)?$/u, 'expected a topology, such as 4x4')),
      /** Then the pool is one slice: all of its nodes fail and return together. */
      multiHost: v.optional(BOOLEAN, false),
    }),
  ),
  provisioning: v.optional(
    v.picklist(
      ['standard', 'spot', 'preemptible', 'flex-start'],
      'expected standard, spot, preemptible or flex-start',
    ),
    'standard',
  ),
  /** Default: the cluster's. */
  version: v.optional(VERSION),
});

/** Which nodes of a pool: one by its index, or the first few; without either the first. Of a slice always all. */
const TARGET = { pool: NAME, node: v.optional(INDEX), nodes: v.optional(COUNT) };
const AT = { at: DURATION };

const MAINTENANCE = v.strictObject({
  ...AT,
  ...TARGET,
  what: v.literal('maintenance'),
  startsIn: DURATION,
  windowLasts: v.optional(DURATION, '4h'),
  reasons: v.optional(v.array(TEXT), ['PLANNED_UPDATE']),
  canReschedule: v.optional(BOOLEAN, true),
  /** Default: SCHEDULED for a planned update, UNSCHEDULED after a failure, as observed. */
  type: v.optional(TEXT),
  announcedBy: v.optional(
    v.picklist(['both', 'label', 'annotation'], 'expected both, label or annotation'),
    'both',
  ),
  /** How long the node is down; default: as observed. */
  repairTakes: v.optional(DURATION),
  /** How long record and labels outlive the repair; default: as observed. */
  clearsAfter: v.optional(DURATION),
});

const EVENT = v.variant(
  'what',
  [
    MAINTENANCE,
    v.strictObject({ ...AT, ...TARGET, what: v.literal('cancelled maintenance') }),
    /** The operator asks for maintenance now. */
    v.strictObject({ ...AT, ...TARGET, what: v.literal('perform maintenance') }),
    v.strictObject({ ...AT, ...TARGET, what: v.literal('cordon') }),
    v.strictObject({ ...AT, ...TARGET, what: v.literal('uncordon') }),
    v.strictObject({ ...AT, ...TARGET, what: v.literal('preemption'), awayFor: v.optional(DURATION) }),
    v.strictObject({
      ...AT,
      ...TARGET,
      what: v.literal('host error'),
      repairTakes: v.optional(DURATION),
      /** Whether a new VM replaces the old one. */
      recreated: v.optional(BOOLEAN, false),
    }),
    v.strictObject({ ...AT, what: v.literal('upgrade'), pool: NAME, version: VERSION }),
    v.strictObject({ ...AT, ...TARGET, what: v.literal('defragmentation') }),
  ],
  'expected one of: maintenance, cancelled maintenance, perform maintenance, cordon, uncordon, preemption, host error, ' +
    'upgrade, defragmentation',
);

/** An interruption before the simulator began. `ago` is real time, whatever the speed. */
const PAST_INTERRUPTION = v.strictObject({
  ago: DURATION,
  pool: NAME,
  node: v.optional(INDEX, 0),
  type: v.picklist(
    ['TerminationEvent', 'MaintenanceEvent', 'PreemptionEvent'],
    'expected TerminationEvent, MaintenanceEvent or PreemptionEvent',
  ),
  reason: TEXT,
});

const SCENARIO = v.strictObject({
  /** How many times faster than in reality all durations pass. */
  speed: v.optional(SPEED, 1),
  cluster: v.optional(CLUSTER, {}),
  pools: v.pipe(v.array(POOL, 'expected a list of pools'), v.minLength(1, 'expected a pool')),
  history: v.optional(v.array(PAST_INTERRUPTION, 'expected a list of interruptions'), []),
  events: v.optional(v.array(EVENT, 'expected a list of events'), []),
});

/** A cluster and what happens to it. All durations are milliseconds of GKE's time, before the speed. */
export type Scenario = v.InferOutput<typeof SCENARIO>;
export type ScenarioInput = v.InferInput<typeof SCENARIO>;
export type Cluster = Scenario['cluster'];
export type NodePool = Scenario['pools'][number];
export type ScenarioEvent = Scenario['events'][number];

/** A scenario that cannot be run; the message names file, path and reason. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
}

/** Reads a scenario from a YAML file. Throws a ScenarioError. */
export function readScenario(file: string): Scenario {
  let content: unknown;
  try {
    content = parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const [firstLine] = (error as Error).message.split('\n');
    throw new ScenarioError(`${file}: ${firstLine}`, { cause: error });
  }
  return parseScenario(content, file);
}

/** Checks a scenario. Throws a ScenarioError; `source` names it there. */
export function parseScenario(content: unknown, source: string): Scenario {
  const parsed = v.safeParse(SCENARIO, content);
  if (!parsed.success) throw new ScenarioError(`${source}: ${issueText(parsed.issues[0])}`);
  const misfit = misfitOf(parsed.output);
  if (misfit !== undefined) throw new ScenarioError(`${source}: ${misfit}`);
  return parsed.output;
}

function issueText(issue: v.BaseIssue<unknown>): string {
  const path = pathText(issue.path ?? []);
  return path === '' ? 'expected a scenario' : `${path}: ${reasonOf(issue)}`;
}

function pathText(path: readonly { readonly key?: unknown }[]): string {
  return path.reduce((text, { key }) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

function reasonOf(issue: v.BaseIssue<unknown>): string {
  if (issue.type === 'strict_object' && issue.expected === 'never') return 'unknown key';
  if (issue.received === 'undefined') return 'missing';
  return issue.message;
}

/** What fits each part of a scenario but not the whole: names the first such place. */
function misfitOf(scenario: Scenario): string | undefined {
  const pools = new Map<string, NodePool>();
  for (const [index, pool] of scenario.pools.entries()) {
    if (pools.has(pool.name)) return `pools[${index}].name: there is a pool ${pool.name} already`;
    pools.set(pool.name, pool);
  }
  for (const [index, { pool: name, node }] of scenario.history.entries()) {
    const pool = pools.get(name);
    if (pool === undefined) return `history[${index}].pool: there is no pool ${name}`;
    if (node >= pool.nodes) return `history[${index}].node: the pool has ${pool.nodes} nodes`;
  }
  for (const [index, event] of scenario.events.entries()) {
    const misfit = eventMisfit(event, pools.get(event.pool));
    if (misfit !== undefined) return `events[${index}].${misfit}`;
  }
  return undefined;
}

function eventMisfit(event: ScenarioEvent, pool: NodePool | undefined): string | undefined {
  if (pool === undefined) return `pool: there is no pool ${event.pool}`;
  if (event.what === 'upgrade') return undefined;
  if (event.node !== undefined && event.nodes !== undefined) return 'nodes: give either node or nodes';
  if (event.node !== undefined && event.node >= pool.nodes) return `node: the pool has ${pool.nodes} nodes`;
  if (event.nodes !== undefined && event.nodes > pool.nodes) return `nodes: the pool has ${pool.nodes} nodes`;
  return undefined;
}
