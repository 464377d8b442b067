/** `__schema` and `__type`: introspection, executed during planning. Results are cached by schema and selection. */
import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  Kind,
  OperationTypeNode,
  print,
  TypeMetaFieldDef,
} from 'graphql';
import { ServiceError } from '../../base/errors.ts';
import { printJson, RawJson } from '../../base/json-value.ts';
import { runAtOnce, runInSlices, type Steps } from '../../base/steps.ts';
import { LazySchema } from '../../schema/lazy-schema.ts';
import type { PlanContext, SelectedField } from '../context/context.ts';
import { VariableReference } from '../document/arguments.ts';
import { executeIntrospection } from './executed.ts';
import { IntrospectionTexts } from './texts.ts';
import { writeIntrospection } from './writer.ts';

/** Introspection results that were created before an operation is planned. */
export type IntrospectionResults = ReadonlyMap<string, string>;

/** Thrown by planning when a result has to be created first. */
class PendingIntrospection extends Error {
  /** Creates the result in slices, and returns it with its key. */
  readonly create: () => Promise<readonly [string, string]>;

  constructor(create: PendingIntrospection['create']) {
    super('the introspection result has not been created yet');
    this.create = create;
  }
}

const noResults: IntrospectionResults = new Map();

/**
 * Calls `plan`, which passes the results to `introspect`. If a result is missing, it is created in slices, between which
 * other requests are handled, and `plan` is called again.
 */
export function planInSlices<Planned>(plan: (results: IntrospectionResults) => Planned): Planned | Promise<Planned> {
  try {
    return plan(noResults);
  } catch (thrown) {
    if (!(thrown instanceof PendingIntrospection)) throw thrown;
    return createThenPlan(plan, thrown);
  }
}

async function createThenPlan<Planned>(
  plan: (results: IntrospectionResults) => Planned,
  first: PendingIntrospection,
): Promise<Planned> {
  const results = new Map<string, string>();
  let pending = first;
  for (;;) {
    const [key, text] = await pending.create();
    results.set(key, text);
    try {
      return plan(results);
    } catch (thrown) {
      if (!(thrown instanceof PendingIntrospection)) throw thrown;
      pending = thrown;
    }
  }
}

const texts = new IntrospectionTexts();

/**
 * Returns the result of the field. Named members are sorted by name, as in Hasura v2. With `results` it throws a
 * PendingIntrospection for a result that is not known, instead of creating it at once.
 */
export function introspect(context: PlanContext, field: SelectedField, results?: IntrospectionResults): RawJson {
  const { selection, variables } = context.forward(field.selections, field.arguments);
  const node: FieldNode = {
    kind: Kind.FIELD,
    name: { kind: Kind.NAME, value: field.name },
    arguments: field.arguments,
    ...(selection !== undefined && { selectionSet: selection }),
  };
  const operation = (root: FieldNode) => ({
    kind: Kind.OPERATION_DEFINITION as const,
    operation: OperationTypeNode.QUERY,
    variableDefinitions: variables,
    selectionSet: { kind: Kind.SELECTION_SET as const, selections: [root] },
  });
  const values = variables.map(({ variable: { name } }) => {
    return [name.value, context.settle(new VariableReference(name.value))] as const;
  });
  const variableValues = Object.fromEntries(values.filter(([, value]) => value !== undefined));
  const key = `${print(operation(node))} ${printJson(variableValues)}`;
  const known = results?.get(key) ?? texts.get(context.schema, key);
  if (known !== undefined) return new RawJson(known);
  const create = function* (): Steps<string> {
    const schema = context.schema instanceof LazySchema ? context.schema.forAllTypes() : context.schema;
    const document = (root: FieldNode): DocumentNode => ({ kind: Kind.DOCUMENT, definitions: [operation(root)] });
    const chunks = yield* withExecutor(
      function* () {
        if (schema instanceof LazySchema && field.name === TypeMetaFieldDef.name) yield* schema.createTypes();
        return yield* writeIntrospection({ schema, operation: operation(node), variableValues }, node);
      },
      () => executeIntrospection(schema, node, document, variableValues),
      field.path,
    );
    const text = chunks.join('');
    texts.set(context.schema, key, text, chunks);
    return text;
  };
  if (results === undefined) return new RawJson(runAtOnce(create()));
  throw new PendingIntrospection(async () => [key, await texts.once(context.schema, key, () => runInSlices(create()))]);
}

/** What the writer cannot print is executed by graphql-js, which has the error. */
function* withExecutor(
  write: () => Steps<readonly Buffer[]>,
  execute: () => string,
  path: string,
): Steps<readonly Buffer[]> {
  try {
    return yield* write();
  } catch (error) {
    if (error instanceof RangeError) throw error;
  }
  try {
    return [Buffer.from(execute())];
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new ServiceError('validation-failed', error.message, { path });
  }
}
