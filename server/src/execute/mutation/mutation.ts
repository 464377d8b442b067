/** Executes the roots of a mutation for one source in order, in one transaction. */
import { ServiceError } from '../../base/errors.ts';
import { parseJson, printJson, RawJson } from '../../base/json-value.ts';
import type { MutationPlan, MutationResponse } from '../../plan/plan/mutation.ts';
import type { FieldPlan } from '../../plan/plan/query.ts';
import { fromPostgres } from '../../postgres/sql/errors.ts';
import { isCheckError } from '../../print/mutate/mutate.ts';
import { type DatabaseRoot, printRoots } from '../../print/roots.ts';
import type { ExecuteContext } from '../context/context.ts';
import { JoinCollector } from '../join/joins.ts';
import { collectJoins, holdsJoins, type Shape } from '../join/key-collector.ts';
import type { RootGroup } from '../query/root-groups.ts';
import { shapeOf as shapeOfRoot } from '../query/rows.ts';
import { pathOfRoot, responsePathOf } from '../response/response.ts';
import { afterChange } from './after-change.ts';
import { deleteStep, manySteps, updateStep } from './change-rows.ts';
import { checkInputs, hasInputCheck } from './input-checks.ts';
import { insertStep } from './insert-rows.ts';
import { send, type Writer } from './mutation-statement.ts';
import type { Step, Written } from './mutation-step.ts';
import { writtenTables } from './written-tables.ts';

export type MutationGroup = Extract<RootGroup, { kind: 'mutation' }>;

/** Returns the JSON text of each root, in the order of the group. Joins are fetched after the commit. */
export async function runMutations(group: MutationGroup, context: ExecuteContext): Promise<readonly string[]> {
  const steps = group.roots.map((root) =>
    root.kind === 'mutation' ? stepsOf(root.mutation, context) : [readStep(root)],
  );
  const { checksInputs, joins } = factsOf(group);
  if (checksInputs) {
    await checkInputs(
      group.roots.flatMap((root) => (root.kind === 'mutation' ? root.mutation : [])),
      context,
    );
  }
  const written = await runSteps(steps, group, context);
  context.changes?.report(group.source, () => writtenTables(group.roots, context.variables));
  if (!joins) return group.roots.map((root, index) => printJson(rootValue(root, written[index] ?? [], undefined)));
  const collector = new JoinCollector();
  const values = group.roots.map((root, index) => rootValue(root, written[index] ?? [], collector));
  await afterChange(() => collector.run(context));
  for (const [index, root] of group.roots.entries()) context.failures?.locate(values[index], responsePathOf(root));
  return values.map((value) => printJson(value));
}

interface GroupFacts {
  /** Whether a webhook validates the input of a root. */
  readonly checksInputs: boolean;
  /** Whether the response of a root contains joins. */
  readonly joins: boolean;
}

const facts = new WeakMap<MutationGroup, GroupFacts>();

function factsOf(group: MutationGroup): GroupFacts {
  const known = facts.get(group);
  if (known !== undefined) return known;
  const found = {
    checksInputs: group.roots.some((root) => root.kind === 'mutation' && hasInputCheck(root.mutation)),
    joins: group.roots.some((root) =>
      root.kind === 'mutation' ? responseHoldsJoins(root.mutation.response) : holdsJoins(shapeOfRoot(root)),
    ),
  };
  facts.set(group, found);
  return found;
}

/** Whether the response of a root of the group contains joins. */
export function joinsFromWritten(group: MutationGroup): boolean {
  return factsOf(group).joins;
}

function responseHoldsJoins(response: MutationResponse): boolean {
  if (response.shape === 'row') return holdsJoins(rowsShape(response.rows.fields));
  return response.members.some((member) => member.kind === 'returning' && holdsJoins(rowsShape(member.rows.fields)));
}

async function runSteps(
  steps: readonly (readonly Step[])[],
  { source }: MutationGroup,
  context: ExecuteContext,
): Promise<readonly (readonly Written[])[]> {
  const database = context.database(source);
  const { role } = context.session;
  const [only, second] = steps.length === 1 ? (steps[0] ?? []) : steps.flat();
  try {
    if (only?.alone && second === undefined && !database.inTransaction) {
      const written = await runAlone(only, { context, database, query: database.query, commits: true });
      if (written !== undefined) return steps.map((of) => (of.length === 0 ? [] : [written]));
    }
    const run = (query: Writer['query']) => inOrder(steps, { context, database, query, commits: false });
    return await database.transaction(run, { role, settings: undefined });
  } catch (error) {
    // Deferred constraints fail at the commit.
    throw fromPostgres(error);
  }
}

/**
 * Runs the step without a transaction. Undefined where a check failed, which rolled back the statement. The transaction that
 * repeats it has the error of the client: constraints that are checked at the end of a statement precede checks.
 */
async function runAlone(step: Step, writer: Writer): Promise<Written | undefined> {
  try {
    return await step.run(writer);
  } catch (error) {
    if (error instanceof ServiceError && isCheckError(error.cause)) return undefined;
    throw error;
  }
}

async function inOrder(steps: readonly (readonly Step[])[], writer: Writer): Promise<readonly (readonly Written[])[]> {
  const written: Written[][] = [];
  for (const ofRoot of steps) {
    const parts: Written[] = [];
    for (const step of ofRoot) parts.push(await step.run(writer));
    written.push(parts);
  }
  return written;
}

/** Returns the steps of one root field; several only for `update_many`. Throws a ServiceError for invalid data. */
function stepsOf(plan: MutationPlan, context: ExecuteContext): readonly Step[] {
  switch (plan.kind) {
    case 'insert':
      return [insertStep(plan, context)];
    case 'update':
      return [updateStep(plan, context)];
    case 'updateMany':
      return manySteps(plan, context);
    case 'delete':
      return [deleteStep(plan)];
    default:
      return plan satisfies never;
  }
}

/** Returns the step of a function that writes, which is selected like a query. */
function readStep(root: DatabaseRoot): Step {
  const path = pathOfRoot(root);
  const print: Parameters<typeof send>[0]['print'] = ({ settings }) => printRoots([root], settings);
  return {
    alone: true,
    run: async (writer) => {
      const [texts = []] = await send({ of: root, signature: 'read', print, inputs: {}, likely: [], path }, writer);
      return { affected: 0, texts };
    },
  };
}

/** Returns the value of the root. Its joins are added to `collector`, which is undefined where there are none. */
function rootValue(
  root: MutationGroup['roots'][number],
  written: readonly Written[],
  collector: JoinCollector | undefined,
): unknown {
  if (root.kind !== 'mutation') return jsonOf(shapeOfRoot(root), written[0]?.texts[0] ?? null, collector);
  const { response, kind } = root.mutation;
  const values = written.map((one) => responseValue(response, one, collector));
  return kind === 'updateMany' ? values : values[0];
}

function responseValue(
  response: MutationResponse,
  { affected, texts }: Written,
  collector: JoinCollector | undefined,
): unknown {
  if (response.shape === 'row') return jsonOf(rowsShape(response.rows.fields), texts[0] ?? null, collector);
  let next = 0;
  const members = response.members.map((member): [string, unknown] => {
    switch (member.kind) {
      case 'constant':
        return [member.alias, member.value];
      case 'affected':
        return [member.alias, affected];
      case 'returning':
        return [member.alias, jsonOf(rowsShape(member.rows.fields), texts[next++] ?? '[]', collector)];
      default:
        return member satisfies never;
    }
  });
  return Object.fromEntries(members);
}

function rowsShape(fields: readonly FieldPlan[]): Shape {
  return { kind: 'rows', fields };
}

/** Parses the text only if it contains joins. */
function jsonOf(shape: Shape, text: string | null, collector: JoinCollector | undefined): unknown {
  if (text === null) return null;
  if (collector === undefined || !holdsJoins(shape)) return new RawJson(text);
  const value = parseJson(text);
  collectJoins(shape, value, collector.add);
  return value;
}
