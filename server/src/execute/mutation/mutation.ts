/** Executes the roots of a mutation for one source in order, in one transaction. */
import { parseJson, printJson, RawJson } from '../../base/json-value.ts';
import { arrangeInsert } from '../../plan/mutate/insert.ts';
import { keyVariable } from '../../plan/mutate/mutation.ts';
import { arrangeChanges, arrangeUpdates, type OneUpdate } from '../../plan/mutate/update.ts';
import type {
  DeletePlan,
  InsertPlan,
  MutationPlan,
  MutationResponse,
  UpdateManyPlan,
  UpdatePlan,
} from '../../plan/plan/mutation.ts';
import type { FieldPlan } from '../../plan/plan/query.ts';
import { fromPostgres } from '../../postgres/sql/errors.ts';
import { insertInputs, maxRows, printInsert, shapeOf } from '../../print/mutate/insert.ts';
import { isChecked } from '../../print/mutate/mutate.ts';
import { printDelete, printUpdate, signatureOf, updateInputs } from '../../print/mutate/update.ts';
import { type DatabaseRoot, printRoots } from '../../print/roots.ts';
import { readInput } from '../action/handler-input.ts';
import type { ExecuteContext } from '../context/context.ts';
import { JoinCollector } from '../join/joins.ts';
import { collectJoins, holdsJoins, type Shape } from '../join/key-collector.ts';
import type { RootGroup } from '../query/root-groups.ts';
import { shapeOf as shapeOfRoot } from '../query/rows.ts';
import { pathOfRoot, responsePathOf } from '../response/response.ts';
import { afterChange } from './after-change.ts';
import { checkInputs } from './input-checks.ts';
import { send, type Writer } from './mutation-statement.ts';
import { changeStep, emptyTexts, readResponse, type Step, type Written } from './mutation-step.ts';
import { hasNested, insertLevel } from './nested-insert.ts';

export type MutationGroup = Extract<RootGroup, { kind: 'mutation' }>;

/** Returns the JSON text of each root, in the order of the group. Joins are fetched after the commit. */
export async function runMutations(group: MutationGroup, context: ExecuteContext): Promise<readonly string[]> {
  const steps = group.roots.map((root) =>
    root.kind === 'mutation' ? stepsOf(root.mutation, context) : [readStep(root)],
  );
  await checkInputs(
    group.roots.flatMap((root) => (root.kind === 'mutation' ? root.mutation : [])),
    context,
  );
  const written = await runSteps(steps, group, context);
  const collector = new JoinCollector();
  const values = group.roots.map((root, index) => rootValue(root, written[index] ?? [], collector));
  await afterChange(() => collector.run(context));
  for (const [index, root] of group.roots.entries()) context.failures?.locate(values[index], responsePathOf(root));
  return values.map((value) => printJson(value));
}

async function runSteps(
  steps: readonly (readonly Step[])[],
  { source }: MutationGroup,
  context: ExecuteContext,
): Promise<readonly (readonly Written[])[]> {
  const database = context.database(source);
  const [only, second] = steps.flat();
  try {
    if (only?.alone && second === undefined) {
      const written = await only.run({ context, database, query: database.query });
      return steps.map((of) => (of.length === 0 ? [] : [written]));
    }
    const { role } = context.session;
    return await database.transaction((query) => inOrder(steps, { context, database, query }), { role });
  } catch (error) {
    // Deferred constraints fail at the commit.
    throw fromPostgres(error);
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
      return arrangeUpdates(plan, readInput(plan.updates, context.variables)).map((update, index) =>
        oneOfMany(plan, update, `${plan.path}.args.updates[${index}]`),
      );
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

function insertStep(plan: InsertPlan, context: ExecuteContext): Step {
  const { table, response, conflict } = plan;
  const level = arrangeInsert(plan, readInput(plan.data, context.variables));
  if (level.rows.length === 0) return nothing(response);
  const { access, path } = level;
  const shape = shapeOf(level);
  if (hasNested(level) || level.rows.length > maxRows(shape)) {
    return {
      alone: false,
      run: async (writer) => {
        const { affected, rows } = await insertLevel(level, writer);
        const whole = rows.flatMap((row) => (row === undefined ? [] : [row.whole]));
        return { affected, texts: await readResponse(plan, table, response, whole, writer, path) };
      },
    };
  }
  return changeStep({
    of: plan,
    signature: shape.signature,
    inputs: insertInputs(shape, level.rows),
    path,
    table,
    response,
    checked: isChecked({ check: access.check, checkOfUpdated: conflict?.check }),
    print: (printing) => printInsert(level, shape, printing),
  });
}

function updateStep(plan: UpdatePlan, context: ExecuteContext): Step {
  const { table, access, where, response, path } = plan;
  const { variables } = context;
  const given = plan.changes.map(({ operator, value }) => ({ operator, value: readInput(value, variables) }));
  const changes = arrangeChanges(table, given, `${path}.args`);
  const key = plan.key && (readInput(plan.key, variables) as Readonly<Record<string, unknown>>);
  const members = Object.entries(key ?? {}).map(([field, value]) => [keyVariable(field), value] as const);
  if (changes.length === 0 && access.presets.size === 0) return nothing(response);
  return changeStep({
    of: plan,
    signature: signatureOf(changes),
    inputs: updateInputs(changes),
    variables: { ...variables, ...Object.fromEntries(members) },
    path,
    table,
    response,
    checked: isChecked({ check: access.check, checkOfUpdated: undefined }),
    print: (printing) => printUpdate(table, access, where, changes, printing),
  });
}

function oneOfMany(plan: UpdateManyPlan, { where, changes }: OneUpdate, path: string): Step {
  const { table, access, response } = plan;
  if (changes.length === 0 && access.presets.size === 0) return nothing(response);
  return changeStep({
    of: plan,
    // The conditions are part of the data, so the statement is not reused.
    signature: undefined,
    inputs: updateInputs(changes),
    path,
    table,
    response,
    checked: isChecked({ check: access.check, checkOfUpdated: undefined }),
    print: (printing) => printUpdate(table, access, where, changes, printing),
  });
}

function deleteStep(plan: DeletePlan): Step {
  const { table, where, response, path } = plan;
  return changeStep({
    of: plan,
    signature: 'delete',
    inputs: {},
    path,
    table,
    response,
    checked: false,
    print: (printing) => printDelete(table, where, printing),
  });
}

function nothing(response: MutationResponse): Step {
  return { alone: true, run: () => Promise.resolve({ affected: 0, texts: emptyTexts(response) }) };
}

/** Returns the value of the root. Its joins are added to `collector`. */
function rootValue(
  root: MutationGroup['roots'][number],
  written: readonly Written[],
  collector: JoinCollector,
): unknown {
  if (root.kind !== 'mutation') return jsonOf(shapeOfRoot(root), written[0]?.texts[0] ?? null, collector);
  const { response, kind } = root.mutation;
  const values = written.map((one) => responseValue(response, one, collector));
  return kind === 'updateMany' ? values : values[0];
}

function responseValue(response: MutationResponse, { affected, texts }: Written, collector: JoinCollector): unknown {
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
function jsonOf(shape: Shape, text: string | null, collector: JoinCollector): unknown {
  if (text === null) return null;
  if (!holdsJoins(shape)) return new RawJson(text);
  const value = parseJson(text);
  collectJoins(shape, value, collector.add);
  return value;
}
