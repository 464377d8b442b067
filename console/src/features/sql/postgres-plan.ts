/** Reads the plan that `explain (format json)` returns. Pure. */

export interface PlanNode {
  /** Path of the node in the plan: `0.1.0`. */
  readonly key: string;
  readonly depth: number;
  /** `Index Scan on public.orders (orders_pkey)`. */
  readonly title: string;
  /** Conditions and keys, such as `Filter: (total > 5)`. */
  readonly details: readonly string[];
  /** For all loops. */
  readonly estimatedRows: number;
  /** For all loops; undefined where the statement was not run. */
  readonly actualRows: number | undefined;
  /** Milliseconds in this node without its children; undefined where the statement was not run. */
  readonly ownMs: number | undefined;
  /** The share of this node without its children, from 0 to 1: of the time, or of the cost where the statement was not run. */
  readonly share: number;
  /** What is likely wrong: an estimate that is ten times too small or too large, rows removed by a filter. */
  readonly warnings: readonly string[];
}

export interface PostgresPlan {
  /** In the order of the text form of `explain`. */
  readonly nodes: readonly PlanNode[];
  readonly planningMs: number | undefined;
  readonly executionMs: number | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** Returns undefined for text that is no plan. */
export function readPlan(text: string): PostgresPlan | undefined {
  const [report] = listOf(parsed(text));
  if (!isObject(report) || !isObject(report.Plan)) return undefined;
  const isMeasured = report.Plan['Actual Total Time'] !== undefined;
  const whole = isMeasured ? totalMs(report.Plan) : numberOf(report.Plan, 'Total Cost');
  const nodes: PlanNode[] = [];
  addNodes(report.Plan, '0', 0, { isMeasured, whole: whole || 1, nodes });
  return {
    nodes,
    planningMs: optionalNumber(report, 'Planning Time'),
    executionMs: optionalNumber(report, 'Execution Time'),
  };
}

interface Reading {
  readonly isMeasured: boolean;
  /** Time or cost of the whole plan. */
  readonly whole: number;
  readonly nodes: PlanNode[];
}

function addNodes(node: Json, key: string, depth: number, reading: Reading): void {
  const { isMeasured, whole, nodes } = reading;
  const children = listOf(node.Plans).filter(isObject);
  const sum = (amountOf: (one: Json) => number): number => children.reduce((all, one) => all + amountOf(one), 0);
  // An InitPlan runs within its parent; times of parallel workers overlap, so that the difference may be negative.
  const ownMs = isMeasured ? Math.max(0, totalMs(node) - sum(totalMs)) : undefined;
  const ownCost = Math.max(0, numberOf(node, 'Total Cost') - sum((one) => numberOf(one, 'Total Cost')));
  const loops = isMeasured ? numberOf(node, 'Actual Loops') : 1;
  const estimatedRows = Math.round(numberOf(node, 'Plan Rows') * Math.max(1, loops));
  const actualRows = isMeasured ? Math.round(numberOf(node, 'Actual Rows') * loops) : undefined;
  nodes.push({
    key,
    depth,
    title: titleOf(node),
    details: detailsOf(node),
    estimatedRows,
    actualRows,
    ownMs,
    share: Math.min(1, (ownMs ?? ownCost) / whole),
    warnings: warningsOf(node, estimatedRows, actualRows),
  });
  children.forEach((child, place) => {
    addNodes(child, `${key}.${place}`, depth + 1, reading);
  });
}

function totalMs(node: Json): number {
  return numberOf(node, 'Actual Total Time') * numberOf(node, 'Actual Loops');
}

function titleOf(node: Json): string {
  const [strategy, join] = [textOf(node, 'Strategy'), textOf(node, 'Join Type')];
  const type = textOf(node, 'Node Type') ?? 'Node';
  const kind = join !== undefined && join !== 'Inner' ? `${type} (${join.toLowerCase()})` : type;
  const relation = [textOf(node, 'Schema'), textOf(node, 'Relation Name') ?? textOf(node, 'Function Name')]
    .filter((name) => name !== undefined)
    .join('.');
  const alias = textOf(node, 'Alias');
  const named = alias === undefined || relation === '' || relation.endsWith(`.${alias}`) || relation === alias;
  const index = textOf(node, 'Index Name');
  const subplan = textOf(node, 'Subplan Name');
  return [
    subplan === undefined ? '' : `${subplan}: `,
    kind === 'Aggregate' && strategy !== undefined && strategy !== 'Plain' ? `${strategy} Aggregate` : kind,
    relation === '' ? '' : ` on ${relation}${named ? '' : ` ${alias}`}`,
    index === undefined ? '' : ` (${index})`,
  ].join('');
}

/** Members of a node that state what it does, in this order. */
const shownMembers = [
  'CTE Name',
  'Index Cond',
  'Recheck Cond',
  'Hash Cond',
  'Merge Cond',
  'Join Filter',
  'Filter',
  'One-Time Filter',
  'Sort Key',
  'Presorted Key',
  'Group Key',
  'Sort Method',
  'Sort Space Used',
  'Rows Removed by Filter',
  'Rows Removed by Join Filter',
  'Rows Removed by Index Recheck',
  'Heap Fetches',
  'Workers Planned',
  'Workers Launched',
  'Shared Hit Blocks',
  'Shared Read Blocks',
  'Temp Written Blocks',
] as const;

function detailsOf(node: Json): string[] {
  return shownMembers.flatMap((name) => {
    const value = node[name];
    if (value === undefined || value === 0) return [];
    return [`${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`];
  });
}

function warningsOf(node: Json, estimated: number, actual: number | undefined): string[] {
  if (actual === undefined) return [];
  const warnings: string[] = [];
  const [low, high] = [Math.max(1, Math.min(estimated, actual)), Math.max(estimated, actual)];
  if (high >= 100 && high / low >= 10) {
    const factor = Math.round(high / low).toLocaleString('en');
    warnings.push(`The estimate is ${factor} times too ${estimated < actual ? 'small' : 'large'}`);
  }
  const removed = numberOf(node, 'Rows Removed by Filter') * numberOf(node, 'Actual Loops');
  if (removed >= 1_000 && removed >= 10 * actual) {
    warnings.push(`The filter removes ${removed.toLocaleString('en')} of the rows that are read: consider an index`);
  }
  if (numberOf(node, 'Temp Written Blocks') > 0) warnings.push('Writes temporary files: work_mem is too small for it');
  return warnings;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(node: Json, name: string): string | undefined {
  const value = node[name];
  return typeof value === 'string' ? value : undefined;
}

function optionalNumber(node: Json, name: string): number | undefined {
  const value = node[name];
  return typeof value === 'number' ? value : undefined;
}

function numberOf(node: Json, name: string): number {
  return optionalNumber(node, name) ?? 0;
}
