import { parser } from '@prometheus-io/lezer-promql';
import { InterpolationError, interpolate, type Scope } from '../interpolate.ts';
import { type DashboardModel, panelsOf } from '../model.ts';

const MINUTE = 60_000;

/** `$__rate_interval` as it stands in the queries that are checked: no other duration is written so. */
export const RATE_INTERVAL = '37m';

type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];

/** A query with the name of its place. */
interface Target {
  readonly where: string;
  readonly expr: string;
}

/** A selector of series, and the function in whose argument it stands; '' if there is none. */
interface Selector {
  readonly name: string;
  readonly calledBy: string;
}

/** A selector of a range, which a function is called with. */
interface Range {
  readonly range: string;
  readonly calledBy: string;
}

/** The queries of all panels, as they stand in the dashboard. */
export function panelTargets(dashboard: DashboardModel): readonly Target[] {
  return panelsOf(dashboard).flatMap(({ title, targets }) =>
    targets.map(({ refId, expr }) => ({ where: `panel ${title}, query ${refId}`, expr })),
  );
}

/** What Prometheus would not understand of a query; undefined if it is well-formed. */
export function syntaxError(expr: string): string | undefined {
  try {
    const text = fill(expr);
    const broken = nodesOf(text).find(({ type }) => type.isError);
    return broken === undefined ? undefined : `no PromQL at "${text.slice(broken.from, broken.from + 20)}"`;
  } catch (error) {
    if (error instanceof InterpolationError) return error.message;
    throw error;
  }
}

/** All selectors of series in a query. */
export function selectorsOf(expr: string): readonly Selector[] {
  const text = fill(expr);
  return nodesOf(text)
    .filter(({ name }) => name === 'VectorSelector')
    .map((node) => ({ name: textOf(node.getChild('Identifier'), text), calledBy: callerOf(node, text) }));
}

/** All selectors of ranges in a query. */
export function rangesOf(expr: string): readonly Range[] {
  const text = fill(expr);
  return nodesOf(text)
    .filter(({ name }) => name === 'MatrixSelector')
    .map((node) => ({ range: textOf(node.lastChild, text), calledBy: callerOf(node, text) }));
}

/** Any names will do for the variables, as long as there is something. */
function fill(expr: string): string {
  const scope: Scope = {
    from: 0,
    to: 120 * MINUTE,
    interval: 36 * MINUTE,
    scrapeInterval: MINUTE,
    variables: VARIABLES,
  };
  return interpolate(expr, scope);
}

const VARIABLES = Object.fromEntries(
  ['cluster', 'accelerator', 'node_pool', 'node', 'job', 'instance', 'cluster_name', 'node_pool_name'].map(
    (name) => [name, ['one', 'two']],
  ),
);

function nodesOf(text: string): readonly SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  parser.parse(text).iterate({
    enter: ({ node }) => {
      nodes.push(node);
    },
  });
  return nodes;
}

/** A selector of a range stands between a function and its selector of series. */
function callerOf(node: SyntaxNode, text: string): string {
  for (let { parent } = node; parent !== null; { parent } = parent) {
    if (parent.name === 'FunctionCall') return textOf(parent.getChild('FunctionIdentifier'), text);
    if (parent.name === 'AggregateExpr' || parent.name === 'BinaryExpr') return '';
  }
  return '';
}

function textOf(node: SyntaxNode | null, text: string): string {
  return node === null ? '' : text.slice(node.from, node.to);
}
