import { isJsonObject, type JsonObject, type KubernetesObject, labelsOf, ownField } from './object.ts';
import { EVENTS, NODES, type Resource } from './resource.ts';

interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer';
  readonly format: '' | 'name';
  readonly description: string;
  /** 0: always shown; 1: shown by `-o wide`. */
  readonly priority: 0 | 1;
}

type Cell = string | number;

interface Printer {
  readonly columns: readonly Column[];
  readonly cells: (object: KubernetesObject, now: number) => readonly Cell[];
}

/** How much of an object a row carries, by the query parameter includeObject. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface TableOptions {
  /** `meta.k8s.io/v1` or `meta.k8s.io/v1beta1`. */
  readonly apiVersion: string;
  readonly includeObject: IncludeObject;
}

function column(name: string, description: string, options: Partial<Column> = {}): Column {
  return { name, type: 'string', format: '', description, priority: 0, ...options };
}

const NAME = column('Name', 'Name must be unique within a namespace.', { format: 'name' });
const AGE = column('Age', 'Time since the object was created.');
const NONE = '<none>';

const NODE_PRINTER: Printer = {
  columns: [
    NAME,
    column('Status', 'The status of the node'),
    column('Roles', 'The roles of the node'),
    AGE,
    column('Version', 'Kubelet version reported by the node.'),
    column('Internal-IP', 'Address of type InternalIP', { priority: 1 }),
    column('External-IP', 'Address of type ExternalIP', { priority: 1 }),
    column('OS-Image', 'Operating system of the node', { priority: 1 }),
    column('Kernel-Version', 'Kernel of the node', { priority: 1 }),
    column('Container-Runtime', 'Container runtime of the node', { priority: 1 }),
  ],
  cells: (node, now) => {
    const info = (field: string) => text(at(node, 'status', 'nodeInfo', field)) || '<unknown>';
    return [
      text(node.metadata.name),
      nodeStatus(node),
      nodeRoles(node),
      age(node, now),
      text(at(node, 'status', 'nodeInfo', 'kubeletVersion')),
      address(node, 'InternalIP'),
      address(node, 'ExternalIP'),
      info('osImage'),
      info('kernelVersion'),
      info('containerRuntimeVersion'),
    ];
  },
};

const EVENT_PRINTER: Printer = {
  columns: [
    column('Last Seen', 'Time of the latest occurrence'),
    column('Type', 'Type of the event'),
    column('Reason', 'Reason of the event'),
    column('Object', 'The object that the event is about'),
    column('Message', 'What happened'),
    column('Name', NAME.description, { format: 'name', priority: 1 }),
  ],
  cells: (event, now) => [
    since(text(at(event, 'lastTimestamp')) || text(event.metadata.creationTimestamp), now),
    text(at(event, 'type')),
    text(at(event, 'reason')),
    `${text(at(event, 'involvedObject', 'kind')).toLowerCase()}/${text(at(event, 'involvedObject', 'name'))}`,
    text(at(event, 'message')),
    text(event.metadata.name),
  ],
};

const OTHER_PRINTER: Printer = {
  columns: [NAME, AGE],
  cells: (object, now) => [text(object.metadata.name), age(object, now)],
};

function printerOf(resource: Resource): Printer {
  switch (resource.plural) {
    case NODES.plural:
      return NODE_PRINTER;
    case EVENTS.plural:
      return EVENT_PRINTER;
    default:
      return OTHER_PRINTER;
  }
}

/** What `kubectl get` prints (meta/v1 Table): cells made by the server. */
export function table(
  resource: Resource,
  objects: readonly KubernetesObject[],
  metadata: JsonObject,
  options: TableOptions,
): JsonObject {
  const printer = printerOf(resource);
  const now = Date.now();
  return {
    kind: 'Table',
    apiVersion: options.apiVersion,
    metadata,
    columnDefinitions: printer.columns,
    rows: objects.map((object) => ({
      cells: printer.cells(object, now),
      ...rowObject(object, options),
    })),
  };
}

function rowObject(object: KubernetesObject, { apiVersion, includeObject }: TableOptions): JsonObject {
  switch (includeObject) {
    case 'None':
      return {};
    case 'Object':
      return { object };
    case 'Metadata':
      return { object: partialObjectMetadata(object, apiVersion) };
    default:
      return includeObject satisfies never;
  }
}

/** An object without its spec and status (meta/v1 PartialObjectMetadata). */
export function partialObjectMetadata(object: KubernetesObject, apiVersion: string): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: object.metadata };
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((inner, field) => (isJsonObject(inner) ? ownField(inner, field) : undefined), value);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function objectsAt(node: KubernetesObject, ...path: readonly string[]): JsonObject[] {
  const list = at(node, ...path);
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function nodeStatus(node: KubernetesObject): string {
  const ready = objectsAt(node, 'status', 'conditions').find((condition) => condition.type === 'Ready');
  const words = [ready === undefined ? 'Unknown' : readiness(ready)];
  if (at(node, 'spec', 'unschedulable') === true) words.push('SchedulingDisabled');
  return words.join(',');
}

function readiness(ready: JsonObject): string {
  return ready.status === 'True' ? 'Ready' : 'NotReady';
}

const ROLE = 'node-role.kubernetes.io/';

function nodeRoles(node: KubernetesObject): string {
  const roles = Object.keys(labelsOf(node)).filter((key) => key.startsWith(ROLE));
  return roles.map((key) => key.slice(ROLE.length)).join(',') || NONE;
}

function address(node: KubernetesObject, type: string): string {
  return text(objectsAt(node, 'status', 'addresses').find((one) => one.type === type)?.address) || NONE;
}

function age(object: KubernetesObject, now: number): string {
  return since(text(object.metadata.creationTimestamp), now);
}

function since(time: string, now: number): string {
  const then = Date.parse(time);
  return Number.isNaN(then) ? '<unknown>' : humanDuration((now - then) / 1000);
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Seconds as kubectl shows an age: two units while they say something, one later. */
export function humanDuration(seconds: number): string {
  if (seconds < 0) return '0s';
  if (seconds < 2 * MINUTE) return `${Math.floor(seconds)}s`;
  if (seconds < 10 * MINUTE) return twoUnits(seconds, [MINUTE, 'm'], [1, 's']);
  if (seconds < 3 * HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  if (seconds < 8 * HOUR) return twoUnits(seconds, [HOUR, 'h'], [MINUTE, 'm']);
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)}h`;
  if (seconds < 8 * DAY) return twoUnits(seconds, [DAY, 'd'], [HOUR, 'h']);
  return `${Math.floor(seconds / DAY)}d`;
}

type Unit = readonly [seconds: number, name: string];

function twoUnits(seconds: number, [big, bigName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((seconds % big) / small);
  return `${Math.floor(seconds / big)}${bigName}${rest === 0 ? '' : `${rest}${smallName}`}`;
}
