/**
 * The one pipeline of GraphQL operations: rate limit, parse, admit, plan, execute, observe. HTTP, batches, websockets,
 * REST endpoints and data commands are adapters that authenticate, read the request and write the response.
 */
import type { RemoteSchemaName, SourceName } from '@joinery/metadata/names';
import type { Headers, Session } from '../../auth/session.ts';
import type { Cancellation } from '../../base/cancellation.ts';
import type { Environment } from '../../base/environment.ts';
import { graphqlError, ServiceError, toServiceError } from '../../base/errors.ts';
import type { HttpClient } from '../../base/http-client/http-client.ts';
import { printJson } from '../../base/json-value.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import { runInSpan, type Span, type Trace } from '../../base/telemetry/trace.ts';
import type { HandlerState } from '../../execute/action/handler/handler-state.ts';
import type { ExecuteContext, ExecuteSettings, ExecutionResult } from '../../execute/context/context.ts';
import { withQueryTags } from '../../execute/context/query-tags.ts';
import { withSessionSettings } from '../../execute/context/session-settings.ts';
import { tracedParts } from '../../execute/context/traced.ts';
import { execute } from '../../execute/execute.ts';
import type { Changes } from '../../execute/live/changes.ts';
import type { Merging } from '../../execute/merge/merging.ts';
import { Failures } from '../../execute/response/field-errors.ts';
import { withErrors } from '../../execute/response/response.ts';
import type { Model } from '../../model/model.ts';
import { InvalidDocument } from '../../plan/document/validation.ts';
import { type IntrospectionResults, planInSlices } from '../../plan/introspection/introspection.ts';
import { type PlannedOperation, type PreparedOperation, planOperation, prepare } from '../../plan/operation.ts';
import type { OperationPlan } from '../../plan/plan/operation.ts';
import type { Database } from '../../postgres/client/pool.ts';
import { roleSchema } from '../../schema/role-schema.ts';
import {
  POSITION_HEADER,
  type Positions,
  positionsOf,
  type ReadConsistency,
  readConsistencyOf,
} from '../sources/read-consistency.ts';
import { withMissingFieldHints } from './missing-field-hints.ts';
import { OperationObserver } from './operation-observer.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { RequestLimits } from './request-limits.ts';
import { checkTime, type RequestTime, runWithinTime, startTime } from './time-limit.ts';

export interface GraphQLRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  readonly operationName: string | undefined;
}

export interface GraphQLCaller {
  readonly session: Session;
  /** Headers of the HTTP request, names in lower case. */
  readonly headers: Headers;
  /** Aborted when the client disconnects. */
  readonly signal: Cancellation;
  readonly requestId: string;
  /** Whether errors show `internal` to the caller. */
  readonly showInternal: boolean;
  /** The address that the caller connects from; undefined for a socket whose address is not known any more. */
  readonly address: string | undefined;
  /** Rejects mutations and subscriptions: a GET changes nothing. */
  readonly queriesOnly: boolean;
  /** The message of the error for other operations then. */
  readonly queriesOnlyReason?: string;
  /** Whether the operation is one of the Relay schema. */
  readonly relay?: boolean;
  /** The span of the request; undefined where it is not traced. */
  readonly span?: Span | undefined;
}

export interface OperationDependencies {
  readonly model: () => Model;
  /** The database of a source, for reading and writing. */
  readonly database: (source: SourceName) => Database;
  /** What queries read, if not the same: replicas of the source. */
  readonly reading?: (source: SourceName, consistency?: ReadConsistency) => Database;
  /** The positions of sources with replicas, for the response to a mutation that has been committed. */
  readonly positionsAfter?: (known: Positions) => Promise<string>;
  /** The database with the schema `joinery`. */
  readonly own?: Database;
  /** Called when a remote schema rejects a request that fits its introspection result. */
  readonly suspectRemoteSchema?: (remote: RemoteSchemaName) => void;
  readonly httpClient: HttpClient;
  readonly handlers: HandlerState;
  /** Merges reads of several requests. Undefined: each runs alone. */
  readonly merging?: Merging | undefined;
  readonly environment: Environment;
  readonly settings: ExecuteSettings;
  readonly limits: RequestLimits;
  readonly rateLimiter: RateLimiter;
  readonly observe: Observe;
  readonly trace?: Trace;
  /** Receives the changes of mutations, for live queries. */
  readonly changes?: Changes;
}

/** What an adapter adds to the pipeline. */
export interface OperationTransport {
  /** Starts a live query. Without it subscriptions are rejected. */
  readonly subscribe?: (operation: PlannedOperation) => void;
  /** Whether queries read the primary: replicas may lack what an earlier mutation of the same batch wrote. */
  readonly readsPrimary?: boolean;
  /** The document, where it is known before the request is read. */
  readonly query?: string;
  /** The model whose names the request uses, once it is read; the current one without it. */
  readonly planningModel?: () => Model;
}

/** A request, or how to read it from what the caller sent; reading is part of parsing. */
export type RequestSource = GraphQLRequest | ((model: Model) => GraphQLRequest);

export type OperationOutcome = CompletedOperation | { readonly kind: 'subscribed' } | FailedOperation;

export interface CompletedOperation {
  readonly kind: 'completed';
  /** The response as JSON text, with its field errors. */
  readonly body: string;
  /** Errors beside the data, for `reportFieldErrors`. */
  readonly errors: ExecutionResult['errors'];
  readonly headers: ExecutionResult['headers'];
}

export interface FailedOperation {
  readonly kind: 'failed';
  /** `rejected`: nothing was executed. */
  readonly stage: 'rejected' | 'executed';
  readonly thrown: unknown;
  readonly error: ServiceError;
}

/** Spans of planning that takes less are not recorded. */
const SHORTEST_PLAN_MS = 0.5;

/** Runs an operation. Never rejects. */
export function runOperation(
  source: RequestSource,
  caller: GraphQLCaller,
  dependencies: OperationDependencies,
  transport: OperationTransport = {},
): Promise<OperationOutcome> {
  const run = (traced: GraphQLCaller) => runStages(source, traced, dependencies, transport);
  if (!caller.span?.recorded) return run(caller);
  const span = caller.span.child('GraphQL', { attributes: { 'joinery.role': caller.session.role } });
  return runInSpan(span, () => run({ ...caller, span }));
}

async function runStages(
  source: RequestSource,
  caller: GraphQLCaller,
  dependencies: OperationDependencies,
  transport: OperationTransport,
): Promise<OperationOutcome> {
  const { span, session } = caller;
  const { limits } = dependencies;
  const known = typeof source === 'function' ? { query: transport.query ?? '', operationName: undefined } : source;
  const observer = new OperationObserver(known, caller, dependencies);
  let stage: FailedOperation['stage'] = 'rejected';
  const began = performance.now();
  let executed: PreparedOperation | undefined;
  const model = dependencies.model();
  try {
    const time = limits.enforcesRoles ? startTime(session.role, model) : undefined;
    const limited = dependencies.rateLimiter(session, caller.address, model);
    if (limited !== undefined) await limited;
    const consistency = transport.readsPrimary === true ? 'primary' : readConsistencyOf(caller.headers);
    const request = typeof source === 'function' ? source(model) : source;
    observer.parsing(request);
    const planningModel = transport.planningModel?.() ?? model;
    const planning = planInSlices((results) => planTraced(request, caller, planningModel, dependencies, time, results));
    const operation = planning instanceof Promise ? await planning : planning;
    observer.planned(operation);
    const { plan } = operation;
    if (span !== undefined) describeSpan(span, plan);
    if (plan.kind === 'subscription') {
      if (transport.subscribe === undefined) throw subscriptionWithoutSocket();
      transport.subscribe(operation);
      observer.ended(0);
      return { kind: 'subscribed' };
    }
    stage = 'executed';
    executed = operation.prepared;
    const reads = plan.kind === 'query' ? consistency : 'primary';
    const context = (traced: GraphQLCaller, signal: Cancellation) =>
      contextOf(request, { ...traced, signal }, operation, dependencies, reads);
    const result = await executeTraced(plan, caller, dependencies, (traced) =>
      runWithinTime(time, caller.signal, (signal) => execute(plan, context(traced, signal))),
    );
    const body = printResult(result, caller);
    observer.ended(body.length);
    const headers =
      plan.kind === 'mutation' ? await withPositions(result.headers, caller, dependencies, transport) : result.headers;
    return { kind: 'completed', body, errors: result.errors, headers };
  } catch (thrown) {
    const error = toServiceError(thrown);
    observer.ended(printJson({ errors: errorsOf({ thrown, error }, caller) }).length, error);
    span?.set('error.type', error.code);
    return { kind: 'failed', stage, thrown, error };
  } finally {
    if (executed !== undefined) limits.checkDuration(executed, performance.now() - began, session.role, model);
  }
}

/** Adds the positions of the sources, where the caller requests them and can receive them: a socket has no response headers. */
async function withPositions(
  headers: ExecutionResult['headers'],
  caller: GraphQLCaller,
  { positionsAfter }: OperationDependencies,
  { subscribe }: OperationTransport,
): Promise<ExecutionResult['headers']> {
  const known = positionsAfter && subscribe === undefined ? positionsOf(caller.headers) : undefined;
  const positions = known && (await positionsAfter?.(known));
  return positions ? [...headers, [POSITION_HEADER, positions]] : headers;
}

function subscriptionWithoutSocket(): ServiceError {
  const message = 'subscriptions are not supported over HTTP, use websockets instead';
  return new ServiceError('unexpected-payload', message);
}

/** As `planRequest`. Planning that takes long has a span of its own; a cached plan has none. */
function planTraced(
  request: GraphQLRequest,
  caller: GraphQLCaller,
  model: Model,
  { limits }: OperationDependencies,
  time: RequestTime | undefined,
  results: IntrospectionResults,
): PlannedOperation {
  if (!caller.span?.recorded) return planRequest(request, caller, model, limits, time, results);
  const began = performance.now();
  try {
    return planRequest(request, caller, model, limits, time, results);
  } finally {
    if (performance.now() - began > SHORTEST_PLAN_MS) caller.span.child('plan', { began }).end();
  }
}

/**
 * Parses, validates, admits and plans the operation in the schema of the caller's role. Limits apply before planning, so
 * that an operation beyond them costs no plan. Throws a ServiceError.
 */
export function planRequest(
  request: GraphQLRequest,
  caller: Pick<GraphQLCaller, 'session' | 'queriesOnly' | 'queriesOnlyReason' | 'showInternal' | 'relay'>,
  model: Model,
  limits: RequestLimits,
  time?: RequestTime,
  introspections?: IntrospectionResults,
): PlannedOperation {
  const { role, backend } = caller.session;
  limits.checkText(request.query);
  const prepared = withMissingFieldHints(model, caller, () =>
    prepare(roleSchema(model, role, backend, caller.relay), request.query, request.operationName),
  );
  limits.checkOperation(prepared, request.query, role, model);
  if (caller.queriesOnly && prepared.kind !== 'query') {
    const reason = caller.queriesOnlyReason ?? 'a GET request runs queries only; send mutations with POST';
    throw new ServiceError('method-not-allowed', reason);
  }
  const checks = { limits: limits.inputs, checkTime: time && (() => checkTime(time)), introspections };
  checks.checkTime?.();
  const maxRows = limits.maxRows(role, model);
  return withMissingFieldHints(model, caller, () => planOperation(prepared, request.variables, maxRows, checks));
}

/** Operations of sockets have a trace of their own each; others are part of the trace of their request. */
function executeTraced(
  plan: OperationPlan,
  caller: GraphQLCaller,
  { trace }: OperationDependencies,
  run: (caller: GraphQLCaller) => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  if (caller.span !== undefined || trace?.on !== true) return run(caller);
  const span = trace.start('GraphQL', { attributes: { 'joinery.role': caller.session.role } });
  describeSpan(span, plan);
  return runInSpan(span, () => run({ ...caller, span }));
}

function describeSpan(span: Span, { kind, name }: OperationPlan): void {
  span.set('graphql.operation.type', kind);
  if (name !== undefined) span.set('graphql.operation.name', name);
}

/** What executing the caller's operation may use. A mutation reads what it wrote, from the primary. */
export function contextOf(
  request: Pick<GraphQLRequest, 'query'>,
  caller: GraphQLCaller,
  operation: PlannedOperation,
  {
    database,
    reading,
    own,
    suspectRemoteSchema,
    httpClient,
    handlers,
    merging,
    environment,
    settings,
    observe,
    changes,
  }: OperationDependencies,
  reads: ReadConsistency,
): ExecuteContext {
  const tagged = withQueryTags(databaseFor(reads, database, reading), operation, caller.requestId, settings);
  const inSession = withSessionSettings(tagged, operation, caller, settings);
  // Only these members are copied for a span.
  const traced = tracedParts({ database: inSession, own, httpClient }, caller.span);
  return {
    session: caller.session,
    headers: caller.headers,
    query: request.query,
    operationName: operation.plan.name,
    variables: operation.variables,
    database: traced.database,
    own: traced.own,
    tracing: traced.tracing,
    // Those of a mutation are joins, which run after its commit.
    merging: operation.plan.kind === 'subscription' ? undefined : merging,
    showInternal: caller.showInternal,
    suspectRemoteSchema,
    httpClient: traced.httpClient,
    handlers,
    environment,
    settings,
    observe,
    changes,
    signal: caller.signal,
    failures: new Failures(),
    // Set by `execute` in a copy. Members that the original does not have make a copy expensive: 5 us on Node 20.
    cookies: undefined,
    calls: undefined,
  };
}

/** Returns the databases that the operation reads. */
function databaseFor(
  reads: ReadConsistency,
  database: OperationDependencies['database'],
  reading: OperationDependencies['reading'],
): OperationDependencies['database'] {
  if (reads === 'primary' || reading === undefined) return database;
  return reads === undefined ? reading : (source) => reading(source, reads);
}

type ErrorReader = Pick<GraphQLCaller, 'requestId' | 'showInternal' | 'session' | 'span'>;

/** Prints the data with its field errors as the caller may see them. */
export function printResult(
  { body, errors }: Pick<ExecutionResult, 'body' | 'errors'>,
  { showInternal }: ErrorReader,
): string {
  return withErrors(body, errors, (error) => graphqlError(error, showInternal));
}

/** Reports each of the errors once, however many fields it belongs to. */
export function reportFieldErrors(
  errors: ExecutionResult['errors'],
  { requestId, session, span }: ErrorReader,
  observe: Observe,
): void {
  for (const error of new Set(errors.map((one) => one.error)))
    observe({ kind: 'refused', requestId, role: session.role, error, span });
}

/** Returns the `errors` of a response as the caller may see them, and reports the error in full. */
export function reportErrors(
  thrown: unknown,
  caller: ErrorReader,
  observe: Observe,
): readonly Readonly<Record<string, unknown>>[] {
  const error = toServiceError(thrown);
  const { requestId, session, span } = caller;
  observe({ kind: 'refused', requestId, role: session.role, error, span });
  return errorsOf({ thrown, error }, caller);
}

/** The `errors` of a response to an operation that failed as a whole, as the caller may see them. */
export function errorsOf(
  { thrown, error }: Pick<FailedOperation, 'thrown' | 'error'>,
  { showInternal }: Pick<GraphQLCaller, 'showInternal'>,
): readonly ReturnType<typeof graphqlError>[] {
  const errors = thrown instanceof InvalidDocument ? thrown.errors : [error];
  return errors.map((one) => graphqlError(one, showInternal));
}
