/** Converts the plan of a request to nested boxes for statements, calls and joins. Pure. */
import { printPretty } from '../../../api/exact-json.ts';
import type { Call, ExplainedJoin, ExplainedStep, RemoteRequest, Statement } from '../graphql-api.ts';

export interface PlanBox {
  readonly kind: 'statement' | 'call' | 'request';
  /** The result fields: root fields, or the path of a join. */
  readonly fields: string;
  readonly title: string;
  readonly facts: readonly string[];
  /** SQL or GraphQL document. */
  readonly text: string | undefined;
  readonly joins: readonly PlanBox[];
}

export function boxesOf(steps: readonly ExplainedStep[]): readonly PlanBox[] {
  return steps.map((step) => ({
    kind: step.kind,
    fields: step.fields.join(', '),
    title: titleOf(step),
    facts: factsOfStep(step),
    text: textOf(step),
    joins: step.joins.map(boxOfJoin),
  }));
}

function boxOfJoin({ path, keys, target, joins }: ExplainedJoin): PlanBox {
  const columns = target.kind === 'statement' ? ` = ${target.table} (${target.columns.join(', ')})` : '';
  return {
    kind: target.kind,
    fields: path.join('.'),
    title: titleOf(target),
    facts: [
      `joined by ${keys.join(', ')}${columns}`,
      ...(target.kind === 'statement' ? ['once for all keys', ...reads(target.plan)] : []),
    ],
    text: textOf(target),
    joins: joins.map(boxOfJoin),
  };
}

function titleOf(what: Statement | Call | RemoteRequest): string {
  switch (what.kind) {
    case 'statement':
      return what.source === undefined ? 'Statement on the service’s own database' : `Statement on ${what.source}`;
    case 'call':
      return `Call of ${what.action} at ${what.handler}`;
    case 'request':
      return `Request to ${what.remote_schema}`;
    default:
      return what satisfies never;
  }
}

function factsOfStep(step: ExplainedStep): readonly string[] {
  switch (step.kind) {
    case 'statement':
      return [
        ...(step.writes ? ['writes'] : []),
        ...(step.polled === undefined ? [] : ['polled for all subscribers at once']),
        ...reads(step.plan),
      ];
    case 'call':
      return step.later ? ['asynchronous: called after the response'] : [];
    case 'request':
      return [];
    default:
      return step satisfies never;
  }
}

function textOf(what: Statement | Call | RemoteRequest): string | undefined {
  if (what.kind === 'call') return undefined;
  if (what.kind === 'request') return what.document;
  const parameters = what.parameters.map((value, index) => `-- $${index + 1}: ${JSON.stringify(value)}`);
  const plan = what.plan === undefined ? [] : ['', '-- PostgreSQL plans:', printPretty(what.plan)];
  return [what.sql, ...parameters, ...plan].join('\n');
}

interface PostgresNode {
  readonly 'Node Type'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Plan Rows'?: unknown;
  readonly 'Actual Rows'?: unknown;
  readonly 'Actual Loops'?: unknown;
  readonly Plans?: readonly PostgresNode[];
}

/** Describes the scans of a PostgreSQL plan with estimated or actual rows and duration. */
function reads(plan: unknown): readonly string[] {
  if (!Array.isArray(plan)) return [];
  const [explained] = plan as readonly { readonly Plan?: PostgresNode; readonly 'Execution Time'?: unknown }[];
  if (explained?.Plan === undefined) return [];
  const time = explained['Execution Time'];
  return [
    ...scansOf(explained.Plan),
    ...(time === undefined ? [] : [`took ${numberOf(time).toLocaleString('en', { maximumFractionDigits: 2 })} ms`]),
  ];
}

function scansOf(node: PostgresNode): readonly string[] {
  const below = (node.Plans ?? []).flatMap(scansOf);
  const table = node['Relation Name'];
  if (table === undefined) return below;
  return [`${node['Node Type'] ?? 'Scan'} on ${table}, ${rowsOf(node)}`, ...below];
}

function rowsOf(node: PostgresNode): string {
  const expected = numberOf(node['Plan Rows']).toLocaleString('en');
  if (node['Actual Rows'] === undefined) return `${expected} ${expected === '1' ? 'row' : 'rows'} expected`;
  const counted = numberOf(node['Actual Rows']) * numberOf(node['Actual Loops'] ?? 1);
  const rows = Math.round(counted);
  return `${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}, ${expected} expected`;
}

/** Converts numbers, also raw JSON numbers such as 1.50. */
function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : Number(JSON.stringify(value));
}
