/** Parses, validates and plans operations. Documents and plans are cached for each role schema. */
import type { GraphQLObjectType, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../base/errors.ts';
import { printJson, RawJson } from '../base/json-value.ts';
import type { RoleSchema } from '../schema/role-schema.ts';
import { createContext, isBelowZero } from './context/create-context.ts';
import { chooseOperation, readDocument, rootOf, type ValidDocument } from './document/documents.ts';
import { defaultInputLimits, InputCount, type InputLimits } from './document/input-limits.ts';
import { coerceVariables, type DeclaredVariable, declareVariables } from './document/variables.ts';
import type { IntrospectionResults } from './introspection/introspection.ts';
import type { OperationPlan } from './plan/operation.ts';
import { planRoots } from './roots.ts';

/** Limits of the input values of an operation. */
export interface InputChecks {
  readonly limits: InputLimits;
  /** Called periodically while input values are read and planned. Throws when the request has timed out. */
  readonly checkTime?: (() => void) | undefined;
  /** With it, planning throws a PendingIntrospection instead of creating a long introspection result at once. */
  readonly introspections?: IntrospectionResults | undefined;
}

/** One operation of a document that has passed validation, for `planOperation`. */
export interface PreparedOperation {
  readonly kind: OperationPlan['kind'];
  /** Undefined for an anonymous operation. */
  readonly name: string | undefined;
  readonly variables: readonly DeclaredVariable[];
  readonly roleSchema: RoleSchema;
  readonly document: CachedDocument;
  readonly node: OperationDefinitionNode;
  readonly root: GraphQLObjectType;
  readonly plans: OperationPlans;
}

export interface PlannedOperation {
  /** The same object each time for requests that differ in the values of scalar variables only. */
  readonly plan: OperationPlan;
  readonly prepared: PreparedOperation;
  /** After coercion: with defaults, and without variables that were not given. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A document with its requested operations, by `operationName`. */
interface CachedDocument extends ValidDocument {
  /** Number of characters: the weight in the cache. */
  readonly length: number;
  readonly chosen: Map<string | undefined, PreparedOperation>;
}

/** The cached plans of one operation. */
interface OperationPlans {
  /** Prefix of the keys of its plans in the cache of the schema. */
  readonly prefix: string;
  /** The variables whose values a plan depends on. Only grows. */
  readonly settled: Set<string>;
  /** The plan of the last request. */
  latest: { readonly state: string; readonly plan: OperationPlan } | undefined;
}

interface SchemaCache {
  readonly documents: LRUCache<string, CachedDocument>;
  readonly plans: LRUCache<string, OperationPlan>;
  operations: number;
}

/** Sizes are characters. A cached document takes about fifty bytes a character. */
const LIMITS = { documents: { max: 1_000, maxSize: 500_000 }, plans: { max: 2_000, maxSize: 1_000_000 } };

/** Characters of the introspection results of a plan that is cached. */
const LONGEST_CONSTANTS = 50_000;

const caches = new WeakMap<GraphQLSchema, SchemaCache>();

function cacheOf(schema: GraphQLSchema): SchemaCache {
  const known = caches.get(schema);
  if (known !== undefined) return known;
  const cache = {
    documents: new LRUCache<string, CachedDocument>(LIMITS.documents),
    plans: new LRUCache<string, OperationPlan>(LIMITS.plans),
    operations: 0,
  };
  caches.set(schema, cache);
  return cache;
}

/**
 * Parses and validates `query` and selects its operation. Throws a ServiceError `validation-failed`: with the path
 * `$.query` for a syntax error, an InvalidDocument with all errors if it does not match the schema.
 */
export function prepare(roleSchema: RoleSchema, query: string, operationName: string | undefined): PreparedOperation {
  const cache = cacheOf(roleSchema.schema);
  const document = cache.documents.get(query) ?? addDocument(cache, roleSchema.schema, query);
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
    plans: { prefix: `${cache.operations++}:`, settled: new Set(), latest: undefined },
  };
  document.chosen.set(name, prepared);
  return prepared;
}

function addDocument(cache: SchemaCache, schema: GraphQLSchema, query: string): CachedDocument {
  const document = withinStack(() => readDocument(schema, query));
  const cached = { ...document, length: query.length, chosen: new Map() };
  cache.documents.set(query, cached, { size: query.length });
  return cached;
}

/**
 * Checks the variables of a request and plans its operation for them. `maxRows` becomes part of the plan and must be the
 * same for all operations of a role schema. Throws `input-limit-exceeded` beyond a limit, or a ServiceError with a path
 * in the variables (`$.variables.id`) or the operation (`$.selectionSet.author.args.where`).
 */
export function planOperation(
  prepared: PreparedOperation,
  given: Readonly<Record<string, unknown>> | undefined,
  maxRows?: number,
  { limits, checkTime, introspections }: InputChecks = { limits: defaultInputLimits },
): PlannedOperation {
  const count = () => new InputCount(limits, checkTime);
  const variables =
    prepared.variables.length === 0 && Object.keys(given ?? {}).length === 0
      ? noVariables
      : withinStack(() => coerceVariables(prepared.variables, given ?? {}, count()));
  const { plans } = prepared;
  const state = stateOf(prepared, variables);
  if (plans.latest?.state === state) return { plan: plans.latest.plan, prepared, variables };
  const cache = cacheOf(prepared.roleSchema.schema);
  const plan =
    cache.plans.get(plans.prefix + state) ?? createPlan(cache, prepared, variables, maxRows, count(), introspections);
  // Planning may have settled further variables. Long introspection results have a cache of their own.
  if (constantsIn(plan) < LONGEST_CONSTANTS) plans.latest = { state: stateOf(prepared, variables), plan };
  return { plan, prepared, variables };
}

const noVariables: Readonly<Record<string, unknown>> = {};

/** The cache key of a plan: which variables are given, null or negative, and the values of the settled variables. */
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

function createPlan(
  cache: SchemaCache,
  prepared: PreparedOperation,
  variables: Readonly<Record<string, unknown>>,
  maxRows: number | undefined,
  count: InputCount,
  introspections: IntrospectionResults | undefined,
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
  const roots = withinStack(() => planRoots(context, root, node.selectionSet, introspections));
  // A mutation always returns all rows that it has written.
  const limited = maxRows !== undefined && kind !== 'mutation';
  const plan: OperationPlan = { kind, name, roots, ...(limited && { maxRows }) };
  if (kind === 'subscription') rejectSeveralRoots(plan);
  for (const settledName of settled) plans.settled.add(settledName);
  const key = plans.prefix + stateOf(prepared, variables);
  const constants = constantsIn(plan);
  if (constants < LONGEST_CONSTANTS) cache.plans.set(key, plan, { size: document.length + key.length + constants });
  return plan;
}

/** Throws unless the subscription has exactly one root that can be polled. */
function rejectSeveralRoots({ roots: [root, second] }: OperationPlan): void {
  if (second === undefined && root?.kind === 'constant') {
    throw new ServiceError('not-supported', 'Introspection at root field level is not supported over subscriptions');
  }
  if (second === undefined && root !== undefined) return;
  throw new ServiceError('validation-failed', 'subscriptions must select one top level field');
}

/** The number of characters of introspection results, which are cached with the plan. */
function constantsIn({ roots }: OperationPlan): number {
  const lengths = roots.map((root) =>
    root.kind === 'constant' && root.value instanceof RawJson ? root.value.text.length : 0,
  );
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** Converts a stack overflow, caused by deeply nested documents or values, to an error of the request. */
function withinStack<Result>(step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ServiceError('validation-failed', 'the request is nested too deeply', { cause: error });
  }
}
