/** Explains operations: their statements with PostgreSQL's plans, handler calls, requests to remote schemas and joins. */
import { ServiceError } from '../../base/errors.ts';
import { parseJson } from '../../base/json-value.ts';
import type { CallPlan } from '../../plan/plan/action.ts';
import type { OperationPlan, RootPlan } from '../../plan/plan/operation.ts';
import type { Database } from '../../postgres/client/pool.ts';
import { fromPostgres } from '../../postgres/sql/errors.ts';
import { allSessionVariables, bind } from '../../postgres/sql/sql.ts';
import { isDatabaseRoot } from '../../print/roots.ts';
import { readEntries } from '../action/action-log.ts';
import { idOf } from '../action/action-result.ts';
import { handlerInput } from '../action/handler/handler-input.ts';
import type { ExecuteContext, RecordedStatement } from '../context/context.ts';
import { withRowLimit } from '../context/row-limit.ts';
import { bindings } from '../context/statement.ts';
import { liveActionTarget } from '../live/live-action.ts';
import { type LiveTarget, liveTarget } from '../live/live-target.ts';
import { type Mergeable, mergeableRoots } from '../merge/mergeable.ts';
import { type MutationGroup, runMutations } from '../mutation/mutation.ts';
import { groupRoots, type RootGroup } from '../query/root-groups.ts';
import { rowsStatement, shapeOf } from '../query/rows.ts';
import { rootDocument } from '../remote/document.ts';
import { withSession } from '../remote/session-values.ts';
import { responsePathOf } from '../response/response.ts';
import { type ExplainedJoin, explainJoin, joinsOfMembers, joinsOfOutput, joinsOfShape } from './explain-joins.ts';

export interface ExplainOptions {
  /** The form of PostgreSQL's plan: none, lines of text, JSON, or JSON with measured times (which runs queries). */
  readonly plan: 'none' | 'text' | 'json' | 'analyze';
}

/** One step of an operation. `fields` are the response keys of its root fields. */
export type ExplainedStep = { readonly fields: readonly string[]; readonly joins: readonly ExplainedJoin[] } & (
  | {
      readonly kind: 'statement';
      /** Undefined: the database with the schema `joinery`. */
      readonly source: string | undefined;
      readonly sql: string;
      readonly parameters: readonly unknown[];
      readonly plan?: unknown;
      /** Set for polled statements, whose parameters are lists. */
      readonly polled?: 'live' | 'stream';
      /** The values of the subscriber; set for polled statements. */
      readonly variables?: LiveVariables;
      /** Set for statements of a mutation. */
      readonly writes?: true;
      /** How the statement is merged with those of other requests; set where it can be. */
      readonly merged?: ExplainedMerge;
    }
  | {
      readonly kind: 'call';
      readonly action: string;
      readonly handler: string;
      readonly input: unknown;
      readonly later?: true;
    }
  | {
      readonly kind: 'request';
      readonly remote_schema: string;
      readonly document: string;
      readonly variables: Readonly<Record<string, unknown>>;
    }
);

export interface ExplainedMerge {
  /** `key`: the rows are found by unique keys. `result`: a statement without values runs once. `plan`: if its plan is as good. */
  readonly by: 'key' | 'result' | 'plan';
  /** The statement for several requests, whose parameters are lists; undefined for `result`. */
  readonly sql?: string;
}

/** The values of one subscriber by their origin, in the text form of PostgreSQL. */
export interface LiveVariables {
  /** Session variables by name. */
  readonly session: Readonly<Record<string, string | null>>;
  /** Variables of the operation by name. */
  readonly query: Readonly<Record<string, string | null>>;
  /** Constants of the operation and of row rules. */
  readonly synthetic: readonly (string | null)[];
  /** The initial value of a stream by the field of its column. */
  readonly cursor: Readonly<Record<string, string | null>>;
}

type StatementStep = Extract<ExplainedStep, { kind: 'statement' }>;

/** Returns the steps in order of execution. Nothing is written, and no handler or remote schema is called. */
export async function explainPlan(
  plan: OperationPlan,
  outer: ExecuteContext,
  options: ExplainOptions,
): Promise<readonly ExplainedStep[]> {
  const context = withRowLimit(plan, outer);
  if (options.plan === 'analyze' && plan.kind === 'mutation') {
    throw new ServiceError(
      'not-supported',
      'a mutation cannot be analyzed, because that would run it; request its plan without analyze',
    );
  }
  if (plan.kind === 'subscription') return [await withPlans(subscriptionStep(plan, context), context, options)];
  const groups = groupRoots(plan);
  const steps = await Promise.all(groups.map((group) => stepsOf(group, plan, context)));
  return Promise.all(steps.flat().map((step) => withPlans(step, context, options)));
}

async function stepsOf(
  group: RootGroup,
  plan: OperationPlan,
  context: ExecuteContext,
): Promise<readonly ExplainedStep[]> {
  const fields = group.at.map((at) => fieldOf(plan.roots[at]));
  const [field = ''] = fields;
  switch (group.kind) {
    case 'database': {
      const statement = rowsStatement(group, context.settings);
      const parameters = bind(statement, bindings(context));
      const joins = group.roots.flatMap((root) => joinsOfShape(shapeOf(root), [root.alias], context));
      const merged = context.merging && explainMerge(mergeableRoots(statement, group.roots, context.settings));
      const step = { kind: 'statement', fields, source: group.source, sql: statement.text, parameters, joins } as const;
      return [merged === undefined ? step : { ...step, merged }];
    }
    case 'mutation': {
      const statements: ExplainedStep[] = [];
      for (const [index, root] of group.roots.entries()) {
        const recorded = await mutationStatements(group, index, context);
        recorded.forEach(({ text: sql, values: parameters }, position) => {
          const joins = position === recorded.length - 1 ? joinsOfWrite(root, context) : [];
          const step = { kind: 'statement', source: group.source, sql, parameters, joins, writes: true } as const;
          statements.push({ ...step, fields: [fieldOf(root)] });
        });
      }
      return statements;
    }
    case 'action':
    case 'submit': {
      const joins = group.kind === 'action' ? joinsOfOutput(group.call.output, [field], context) : [];
      return [{ ...callOf(group.call, context), fields, joins, ...(group.kind === 'submit' && { later: true }) }];
    }
    case 'actionResult': {
      const { result } = group;
      const joins = result.members.flatMap((member) =>
        member.kind === 'output' ? joinsOfOutput(member.output, [field, member.alias], context) : [],
      );
      const parameters = [[null], [idOf(result, context)], [result.action.name]];
      return [{ kind: 'statement', fields, source: undefined, sql: readEntries.text, parameters, joins }];
    }
    case 'entities':
      return group.entities.types.map(({ typeName, join }) => {
        const { target } = explainJoin(join, [field, typeName], context);
        if (target.kind !== 'statement') throw new TypeError('the rows of an entity are fetched by a statement');
        const { source, sql, parameters } = target;
        return { kind: 'statement', fields, source, sql, parameters, joins: [] };
      });
    case 'remote': {
      const [first] = group.fields;
      if (first === undefined) return [];
      const session = group.fields.flatMap(({ plan }) => plan.session);
      const { query, variables } = rootDocument(group.fields, withSession(session, context));
      const joins = group.fields.flatMap(({ alias, plan: { members, remote } }) =>
        joinsOfMembers(members, remote, [alias], context),
      );
      const remote = first.plan.remote.name;
      return [{ kind: 'request', fields, remote_schema: remote, document: query, variables, joins }];
    }
    default:
      return group satisfies never;
  }
}

function explainMerge(mergeable: Mergeable | undefined): ExplainedMerge | undefined {
  if (mergeable === undefined) return undefined;
  const { kind, form } = mergeable;
  if (kind === 'shared') return { by: 'result' };
  return { by: kind === 'keyed' ? 'key' : 'plan', sql: form.text };
}

function callOf(call: CallPlan, { variables }: ExecuteContext) {
  const { name, handler } = call.action;
  return { kind: 'call', action: name, handler, input: handlerInput(call, variables) } as const;
}

/** Returns the joins in the rows returned by a mutation, or by a function that writes. */
function joinsOfWrite(root: RootPlan, context: ExecuteContext): readonly ExplainedJoin[] {
  if (isDatabaseRoot(root)) return joinsOfShape(shapeOf(root), [root.alias], context);
  if (root.kind !== 'mutation') return [];
  const { response } = root.mutation;
  if (response.shape === 'row') {
    return joinsOfShape({ kind: 'rows', fields: response.rows.fields }, [root.alias], context);
  }
  return response.members.flatMap((member) => {
    if (member.kind !== 'returning') return [];
    return joinsOfShape({ kind: 'rows', fields: member.rows.fields }, [root.alias, member.alias], context);
  });
}

/** Returns the polled statement with the parameters of one subscriber. */
function subscriptionStep(plan: OperationPlan, context: ExecuteContext): StatementStep {
  const target = liveActionTarget(plan, context) ?? liveTarget(plan, context);
  const { source, text, values, known, kind } = target;
  const [root] = plan.roots;
  const joins = root !== undefined && isDatabaseRoot(root) ? joinsOfShape(shapeOf(root), [root.alias], context) : [];
  const parameters = [[known], ...values.map((value) => [value])];
  const fields = plan.roots.map(fieldOf);
  const variables = variablesOf(target, root?.kind === 'stream' ? root.stream.column.field : undefined);
  return { kind: 'statement', fields, source, sql: text, parameters, joins, polled: kind, variables };
}

function variablesOf({ values, slots, known }: LiveTarget, cursor: string | undefined): LiveVariables {
  const session: Record<string, string | null> = {};
  const query: Record<string, string | null> = {};
  const synthetic: (string | null)[] = [];
  values.forEach((value, index) => {
    const slot = slots[index];
    if (slot?.kind === 'session' && slot.name === allSessionVariables)
      Object.assign(session, JSON.parse(value ?? '{}'));
    else if (slot?.kind === 'session') session[slot.name] = value;
    else if (slot?.kind === 'variable') query[slot.name] = value;
    else synthetic.push(value);
  });
  return { session, query, synthetic, cursor: cursor === undefined ? {} : { [cursor]: known } };
}

const prefixes = { text: 'explain', json: 'explain (format json)', analyze: 'explain (analyze, format json)' };

/** Adds PostgreSQL's plans to the step. Analyzed statements run in a read-only transaction. */
async function withPlans(
  step: ExplainedStep,
  context: ExecuteContext,
  options: ExplainOptions,
): Promise<ExplainedStep> {
  if (options.plan === 'none') return step;
  // The text form is used by tools without support for joins.
  const joins = options.plan === 'text' ? step.joins : await withJoinPlans(step.joins, context);
  if (step.kind !== 'statement') return { ...step, joins };
  return { ...step, plan: await planOf(step, options.plan, context), joins };
}

/** Adds plans to the joins. They are not analyzed, since the keys are not known. */
function withJoinPlans(joins: readonly ExplainedJoin[], context: ExecuteContext): Promise<readonly ExplainedJoin[]> {
  return Promise.all(
    joins.map(async (join): Promise<ExplainedJoin> => {
      const { target } = join;
      const inner = await withJoinPlans(join.joins, context);
      if (target.kind !== 'statement') return { ...join, joins: inner };
      return { ...join, target: { ...target, plan: await planOf(target, 'json', context) }, joins: inner };
    }),
  );
}

type Planned = Pick<StatementStep, 'source' | 'sql' | 'parameters'>;

async function planOf(step: Planned, form: keyof typeof prefixes, context: ExecuteContext): Promise<unknown> {
  const run = { text: `${prefixes[form]} ${step.sql}`, values: step.parameters };
  try {
    const database = databaseOf(step, context);
    const { rows } =
      form === 'analyze'
        ? await database.transaction((query) => query(run, { signal: context.signal }), { readOnly: true })
        : await database.query(run, { signal: context.signal });
    const lines = rows.map(([line]) => line ?? '');
    return form === 'text' ? lines : parseJson(lines.join('\n'));
  } catch (error) {
    throw fromPostgres(error, { path: '$', statement: run.text });
  }
}

function databaseOf({ source }: Planned, { database, own }: ExecuteContext): Database {
  const found = source === undefined ? own : database(source as Parameters<ExecuteContext['database']>[0]);
  if (found === undefined) throw new TypeError('there is no database with the schema `joinery`');
  return found;
}

/** Returns the response key of a root, behind that of its namespace: `shop.orders`. */
function fieldOf(root: RootPlan | undefined): string {
  return root === undefined ? '' : responsePathOf(root).join('.');
}

/**
 * Returns the format of Hasura v2: an entry for each root field in the order of the response, with `{ field, sql, plan }`
 * for databases and constants; for a subscription one object, `{ sql, plan, variables }`.
 */
export function asList(
  steps: readonly ExplainedStep[],
  { kind, roots }: OperationPlan,
): Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[] {
  const [first] = steps;
  if (kind === 'subscription' && first?.kind === 'statement') {
    const { sql, plan, variables } = first;
    return { sql, plan, variables };
  }
  const constants = roots.filter((root) => root.kind === 'constant').map(fieldOf);
  const entries = [
    ...steps.flatMap((step) => step.fields.map((field) => entryOf(step, field))),
    ...constants.map((field) => ({ field, sql: null, plan: null })),
  ];
  const order = roots.map(fieldOf);
  return entries.toSorted((one, other) => order.indexOf(one.field) - order.indexOf(other.field));
}

function entryOf(step: ExplainedStep, field: string) {
  if (step.kind === 'statement') return { field, sql: step.sql, plan: step.plan };
  if (step.kind === 'call') return { field, action: step.action, handler: step.handler };
  return { field, remote_schema: step.remote_schema };
}

/**
 * Returns the statements of one root in order; none if there is nothing to write. Values that depend on the result of an
 * earlier statement, such as keys of nested rows, are null. Throws a ServiceError for invalid data.
 */
async function mutationStatements(
  group: MutationGroup,
  index: number,
  context: ExecuteContext,
): Promise<readonly RecordedStatement[]> {
  const root = group.roots[index];
  const at = group.at[index];
  if (root === undefined || at === undefined) return [];
  const recorded: RecordedStatement[] = [];
  const idle = (database: Database): Database => ({
    ...database,
    query: unused,
    transaction: (work) => work(unused),
  });
  await runMutations(
    { ...group, roots: [root], at: [at] },
    {
      ...context,
      database: (source) => idle(context.database(source)),
      record: (statement, likely) => {
        recorded.push(statement);
        return likely;
      },
      // Webhooks that validate input are not called.
      httpClient: { ...context.httpClient, call: () => Promise.resolve(accepted) },
      failures: undefined,
    },
  );
  return recorded;
}

const unused: Database['query'] = () => Promise.reject(new TypeError('an explained statement is not run'));

const accepted = { status: 200, headers: [], body: '{}', bytes: Buffer.from('{}'), truncated: false, durationMs: 0 };
