/** Runs the targets of events: saved operations by the pipeline of all operations, and functions in a transaction of their source. */
import type { Metadata } from '@joinery/metadata/metadata';
import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import type { OperationTarget } from '@joinery/metadata/schema/events/targets';
import { cancellationError } from '../../base/cancellation.ts';
import { type ErrorCode, ServiceError, toServiceError } from '../../base/errors.ts';
import { printJson } from '../../base/json-value.ts';
import type { CallTargets, TargetCall, TargetResult } from '../../events/targets/target.ts';
import { depthVariable } from '../../execute/context/session-settings.ts';
import { fromPostgres, isPostgresError } from '../../postgres/sql/errors.ts';
import {
  errorsOf,
  type GraphQLCaller,
  type OperationDependencies,
  type OperationOutcome,
  type OperationTransport,
  runOperation,
} from '../graphql/run-operation.ts';
import type { ExternalState } from '../metadata/state.ts';
import { calledFunction, savedOperation } from './check.ts';
import { callStatement, readRows } from './function-call.ts';
import { depthOf, sessionOfTarget } from './session.ts';

export interface TargetDependencies extends OperationDependencies {
  readonly metadata: () => Metadata;
  readonly catalogs: () => ExternalState['catalogs'];
}

/** The most events whose targets lead to each other. */
const MOST_DEPTH = 16;

/** Errors that the same call has again, because they depend on the definition, its inputs and the permissions only. */
const permanentCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'access-denied',
  'bad-request',
  'coercion-error',
  'depth-limit-exceeded',
  'input-limit-exceeded',
  'node-limit-exceeded',
  'not-supported',
  'parse-failed',
  'permission-denied',
  'permission-error',
  'unexpected-payload',
  'validation-failed',
]);

/** @param dependencies without an allow list: an admin saved the operation for the event */
export function createCallTargets(dependencies: TargetDependencies): CallTargets {
  const { sessionPrefix } = dependencies.settings;
  return async (call) => {
    const depth = depthOf(call.sessions, sessionPrefix);
    if (depth >= MOST_DEPTH) return endless(depth);
    try {
      const { written, kind } = call.target;
      return kind === 'operation'
        ? await callOperation(written, call, depth + 1, dependencies)
        : await callFunction(call, depth + 1, dependencies);
    } catch (thrown) {
      return failed(toServiceError(thrown));
    }
  };
}

function endless(depth: number): TargetResult {
  const message = `not called: the change was made by the target of an event, which was caused by another, ${depth} times; targets that cause their own events must have a condition that ends it`;
  return { outcome: 'dead', status: 508, response: printJson({ errors: [{ message }] }) };
}

/** A replica may lack the change that caused the event. */
const transport: OperationTransport = { readsPrimary: true };

async function callOperation(
  operation: OperationTarget,
  { id, filled, signal }: TargetCall,
  depth: number,
  dependencies: TargetDependencies,
): Promise<TargetResult> {
  const query = savedOperation(operation, dependencies.metadata());
  const { sessionPrefix } = dependencies.settings;
  const caller: GraphQLCaller = {
    session: sessionOfTarget(operation, filled.session, { sessionPrefix, eventId: id, depth }),
    headers: {},
    signal,
    requestId: id,
    showInternal: true,
    address: undefined,
    queriesOnly: false,
  };
  const request = { query, variables: filled.variables, operationName: undefined };
  return resultOf(await runOperation(request, caller, dependencies, transport), caller);
}

function resultOf(outcome: OperationOutcome, caller: GraphQLCaller): TargetResult {
  switch (outcome.kind) {
    case 'completed': {
      const [first] = outcome.errors;
      if (first === undefined) return { outcome: 'delivered', status: 200, response: outcome.body };
      return { ...failureOf(first.error), response: outcome.body };
    }
    case 'failed':
      return { ...failureOf(outcome.error), response: printJson({ errors: errorsOf(outcome, caller) }) };
    case 'subscribed':
      throw new Error('a subscription was started without a socket');
    default:
      return outcome satisfies never;
  }
}

function failureOf({ code, status }: ServiceError): Pick<TargetResult, 'outcome' | 'status'> {
  // A status of success belongs to a delivered event.
  return { outcome: permanentCodes.has(code) ? 'error' : 'failed', status: status < 300 ? 500 : status };
}

function failed(error: ServiceError): TargetResult {
  const { message, path, code } = error;
  const sqlState = isPostgresError(error.cause) ? stateOf(error.cause) : {};
  const response = printJson({ errors: [{ message, extensions: { path, code, ...sqlState } }] });
  return { ...failureOf(error), response };
}

function stateOf({
  code: sqlstate,
  message,
  detail,
  hint,
}: {
  code: string;
  message: string;
  detail?: string | undefined;
  hint?: string | undefined;
}) {
  return { sqlstate, error: message, ...(detail !== undefined && { detail }), ...(hint !== undefined && { hint }) };
}

/** Calls the function in a transaction. Its errors may depend on the data, so that all of them are retried. */
async function callFunction(
  { id, target, filled, signal }: TargetCall,
  depth: number,
  { catalogs, database, settings: { sessionPrefix } }: TargetDependencies,
): Promise<TargetResult> {
  if (target.kind !== 'function') throw new TypeError('a target without a function');
  const source = target.written.source ?? DEFAULT_SOURCE;
  const external = { catalogs: catalogs() };
  const called = calledFunction(target.written, external);
  const catalog = external.catalogs.get(source);
  if (catalog === undefined || catalog instanceof ServiceError) throw new TypeError('a function without a catalog');
  const statement = callStatement(called, filled.variables, catalog.types);
  const settings = {
    'hasura.user': printJson({ [`${sessionPrefix}event-id`]: id, [depthVariable(sessionPrefix)]: String(depth) }),
  };
  try {
    const response = await database(source).transaction(async (query) => readRows(await query(statement, { signal })), {
      settings,
    });
    return { outcome: 'delivered', status: 200, response };
  } catch (thrown) {
    const error = signal.aborted && !isPostgresError(thrown) ? cancellationError(signal) : fromPostgres(thrown);
    return { ...failed(error), outcome: 'failed' };
  }
}
