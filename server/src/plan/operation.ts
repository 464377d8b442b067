/** From a request to the plan of its operation; documents and plans are remembered for each role's schema. */
import type { GraphQLObjectType, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { ServiceError } from '../base/errors.ts';
import { printJson, RawJson } from '../base/json-value.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import { createContext, isBelowZero } from './context/create-context.ts';
import { Lru } from './document/cache.ts';
import { chooseOperation, readDocument, rootOf, type ValidDocument } from './document/documents.ts';
import { defaultInputLimits, InputCount, type InputLimits } from './document/input-limits.ts';
import { coerceVariables, type DeclaredVariable, declareVariables } from './document/variables.ts';
import type { OperationPlan } from './plan/operation.ts';
import { planRoots } from './roots.ts';

/** What limits the input values of an operation. */
export interface InputChecks {
  readonly limits: InputLimits;
  /** Called now and then while input values are read and planned; throws when the time of the request is over. */
  readonly checkTime?: (() => void) | undefined;
}

/** One operation of a document that has passed validation, for `planOperation`. */
export interface PreparedOperation {
  readonly kind: OperationPlan['kind'];
  /** Undefined for an anonymous operation. */
  readonly name: string | undefined;
  readonly variables: readonly DeclaredVariable[];
  readonly roleSchema: RoleSchema;
  readonly document: Remembered;
  readonly node: OperationDefinitionNode;
  readonly root: GraphQLObjectType;
  readonly plans: PlanMemory;
}

export interface PlannedOperation {
  /** The same object each time for requests that differ in the values of scalar variables only. */
  readonly plan: OperationPlan;
  readonly prepared: PreparedOperation;
  /** After coercion: defaults filled in, those not given left out. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A document with the operations of it that were asked for so far, by `operationName`. */
interface Remembered extends ValidDocument {
  /** Characters of the text: what documents and plans are weighed by. */
  readonly length: number;
  readonly chosen: Map<string | undefined, PreparedOperation>;
}

/** What is known of the plans of one operation. */
interface PlanMemory {
  /** Before the keys of its plans in the memory of the schema. */
  readonly prefix: string;
  /** Variables on whose values some plan depends. Only grows. */
  readonly settled: Set<string>;
  /** The plan that was asked for last. */
  latest: { readonly state: string; readonly plan: OperationPlan } | undefined;
}

interface SchemaMemory {
  readonly documents: Lru<Remembered>;
  readonly plans: Lru<OperationPlan>;
  operations: number;
}

/** Weights are characters; what is kept for one is some fifty times as large. */
const LIMITS = { documents: { entries: 1_000, weight: 500_000 }, plans: { entries: 2_000, weight: 1_000_000 } };

const memories = new WeakMap<GraphQLSchema, SchemaMemory>();

function memoryOf(schema: GraphQLSchema): SchemaMemory {
  const known = memories.get(schema);
  if (known !== undefined) return known;
  const memory = {
    documents: new Lru<Remembered>(LIMITS.documents),
    plans: new Lru<OperationPlan>(LIMITS.plans),
    operations: 0,
  };
  memories.set(schema, memory);
  return memory;
}

/**
 * Parses and validates `query` and chooses its operation. Throws a ServiceError `validation-failed`: with the path
 * `$.query` for a syntax error, an InvalidDocument (plan/validation.ts) with every error where it does not fit the schema.
 */
export function prepare(roleSchema: RoleSchema, query: string, operationName: string | undefined): PreparedOperation {
  const memory = memoryOf(roleSchema.schema);
  const document = memory.documents.get(query) ?? remember(memory, roleSchema.schema, query);
  const name = operationName === '' ? undefined : operationName;
  const known = document.chosen.get(name);
  if (known !== undefined && known.roleSchema.role === roleSchema.role) return known;
  const node = chooseOperation(document, name);
  const prepared: PreparedOperation = {
    ...rootOf(roleSchema.schema, node),
    name: node.name?.value,
    variables: declareVariables(roleSchema.schema, node, document.fragments),
    roleSchema,
    document,
    node,
    plans: { prefix: `${memory.operations++}:`, settled: new Set(), latest: undefined },
  };
  document.chosen.set(name, prepared);
  return prepared;
}

function remember(memory: SchemaMemory, schema: GraphQLSchema, query: string): Remembered {
  const document = withinStack(() => readDocument(schema, query));
  const remembered = { ...document, length: query.length, chosen: new Map() };
  memory.documents.set(query, remembered, query.length);
  return remembered;
}

/**
 * Checks the variables of a request and plans its operation for them. `maxRows` goes into the plan and must be the same
 * for all operations of a role's schema. Throws `input-limit-exceeded` beyond a limit, or a ServiceError whose path leads into the variables (`$.variables.id`) or
 * the operation (`$.selectionSet.author.args.where`).
 */
export function planOperation(
  prepared: PreparedOperation,
  given: Readonly<Record<string, unknown>> | undefined,
  maxRows?: number,
  { limits, checkTime }: InputChecks = { limits: defaultInputLimits },
): PlannedOperation {
  const count = () => new InputCount(limits, checkTime);
  const variables =
    prepared.variables.length === 0
      ? noVariables
      : withinStack(() => coerceVariables(prepared.variables, given ?? {}, count()));
  const { plans } = prepared;
  const state = stateOf(prepared, variables);
  if (plans.latest?.state === state) return { plan: plans.latest.plan, prepared, variables };
  const memory = memoryOf(prepared.roleSchema.schema);
  const plan = memory.plans.get(plans.prefix + state) ?? makePlan(memory, prepared, variables, maxRows, count());
  // Planning may have found that more of the variables count.
  plans.latest = { state: stateOf(prepared, variables), plan };
  return { plan, prepared, variables };
}

const noVariables: Readonly<Record<string, unknown>> = {};

/** All that a plan depends on: which variables are given, which are null or negative, and the values of the settled ones. */
function stateOf({ variables, plans }: PreparedOperation, values: Readonly<Record<string, unknown>>): string {
  let state = '';
  for (const { name } of variables) {
    const value = values[name];
    if (value === undefined) state += 'a';
    else if (value === null) state += 'n';
    else if (plans.settled.has(name)) state += `=${printJson(value)};`;
    else state += isBelowZero(value) ? '-' : 'g';
  }
  return state;
}

function makePlan(
  memory: SchemaMemory,
  prepared: PreparedOperation,
  variables: Readonly<Record<string, unknown>>,
  maxRows: number | undefined,
  count: InputCount,
): OperationPlan {
  const { kind, name, roleSchema, document, node, root, plans } = prepared;
  const definitions = (node.variableDefinitions ?? []).map((one) => [one.variable.name.value, one] as const);
  const { context, settled } = createContext({
    schema: roleSchema.schema,
    role: roleSchema.role,
    fragments: document.fragments,
    variableDefinitions: new Map(definitions),
    variables,
    count,
  });
  const roots = withinStack(() => planRoots(context, root, node.selectionSet));
  // What a mutation has done is told, however much it is.
  const limited = maxRows !== undefined && kind !== 'mutation';
  const plan: OperationPlan = { kind, name, roots, ...(limited && { maxRows }) };
  if (kind === 'subscription') refuseSeveral(plan);
  for (const settledName of settled) plans.settled.add(settledName);
  const key = plans.prefix + stateOf(prepared, variables);
  memory.plans.set(key, plan, document.length + key.length + constantsIn(plan));
  return plan;
}

/** One subscription, one live root. */
function refuseSeveral({ roots: [root, second] }: OperationPlan): void {
  if (second === undefined && root !== undefined && root.kind !== 'constant') return;
  throw new ServiceError('validation-failed', 'subscriptions must select one top level field');
}

/** What introspection answered is kept with the plan. */
function constantsIn({ roots }: OperationPlan): number {
  const lengths = roots.map((root) =>
    root.kind === 'constant' && root.value instanceof RawJson ? root.value.text.length : 0,
  );
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** Documents and values may be nested deeper than the stack of this process reaches. */
function withinStack<Result>(step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ServiceError('validation-failed', 'the request is nested too deeply', { cause: error });
  }
}
