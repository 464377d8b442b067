/** Runs, validates and describes operations for the tools, through the pipeline of all operations. */
import type { Session } from '../../auth/session.ts';
import { graphqlError, toServiceError } from '../../base/errors.ts';
import { printJson } from '../../base/json-value.ts';
import { InvalidDocument } from '../../plan/document/validation.ts';
import { prepare } from '../../plan/operation.ts';
import { operationCost } from '../../plan/operation-cost.ts';
import { roleSchema } from '../../schema/role-schema.ts';
import { withMissingFieldHints } from '../graphql/missing-field-hints.ts';
import {
  type GraphQLRequest,
  type OperationDependencies,
  reportErrors,
  reportFieldErrors,
  runOperation,
} from '../graphql/run-operation.ts';
import type { McpCaller, ToolResult } from './tool.ts';

/** Runs the operation with all limits of the caller. Never rejects. */
export async function runRequest(
  request: GraphQLRequest,
  caller: McpCaller,
  dependencies: OperationDependencies,
): Promise<ToolResult> {
  const outcome = await runOperation(request, caller, dependencies);
  const { observe } = dependencies;
  switch (outcome.kind) {
    case 'completed':
      reportFieldErrors(outcome.errors, caller, observe);
      return { text: outcome.body, isError: outcome.errors.length > 0 };
    case 'failed':
      return { text: printJson({ errors: reportErrors(outcome.thrown, caller, observe) }), isError: true };
    case 'subscribed':
      throw new Error('a subscription was started without a socket');
    default:
      return outcome satisfies never;
  }
}

/** Counts a call that runs no operation as one. Rejects with `rate-limit-exceeded`. */
export async function countCall(
  { session, address }: Pick<McpCaller, 'session' | 'address'>,
  { rateLimiter, model }: Pick<OperationDependencies, 'rateLimiter' | 'model'>,
): Promise<void> {
  await rateLimiter(session, address, model());
}

/** Returns what the operation is, or its errors. Variables are not checked. */
export function validateRequest(
  { query, operationName }: Pick<GraphQLRequest, 'query' | 'operationName'>,
  caller: McpCaller,
  { limits, model: current }: Pick<OperationDependencies, 'limits' | 'model'>,
): Readonly<Record<string, unknown>> {
  const { role, backend } = caller.session;
  const model = current();
  try {
    limits.checkText(query);
    const prepared = withMissingFieldHints(model, caller, () =>
      prepare(roleSchema(model, role, backend), query, operationName),
    );
    limits.checkOperation(prepared, query, role, model);
    const { depth, nodes } = operationCost(prepared);
    return { valid: true, kind: prepared.kind, name: prepared.name ?? null, depth, nodes };
  } catch (thrown) {
    const errors = thrown instanceof InvalidDocument ? thrown.errors : [toServiceError(thrown)];
    return { valid: false, errors: errors.map((one) => graphqlError(one, caller.showInternal)) };
  }
}

/** Whether the role may read its schema. */
export function mayReadSchema({ role }: Session, { model }: Pick<OperationDependencies, 'model'>): boolean {
  return !model().unreadable.has(role);
}
