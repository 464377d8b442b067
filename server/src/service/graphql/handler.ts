/** GraphQL over HTTP: single operations, batches and plans. */
import { toServiceError } from '../../base/errors.ts';
import { printJson } from '../../base/json-value.ts';
import { asList, type ExplainOptions, explainPlan } from '../../execute/explain/explain.ts';
import { runBatch } from './batch.ts';
import {
  contextOf,
  type GraphQLCaller,
  type GraphQLRequest,
  type OperationDependencies,
  planRequest,
  reportErrors,
  reportFieldErrors,
  runOperation,
} from './run-operation.ts';

export interface GraphQLResponse {
  /** HTTP status for clients that expect a failure to have one. */
  readonly status: number;
  /** JSON text. */
  readonly body: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** `list` is the format of Hasura v2; `tree` also has joins, and the plans that are requested. */
export interface ExplainForm extends ExplainOptions {
  readonly format: 'list' | 'tree';
}

export interface GraphQLHandler {
  /** Never rejects: what fails is a response with `errors`. */
  respond(request: GraphQLRequest, caller: GraphQLCaller): Promise<GraphQLResponse>;
  /**
   * Runs a batch, see `runBatch`; resolves to the responses in the order of the requests. Rejects with
   * `batch-limit-exceeded`, or because the client disconnected before the last operation started.
   */
  respondToBatch(requests: readonly GraphQLRequest[], caller: GraphQLCaller): Promise<readonly GraphQLResponse[]>;
  /**
   * The statements, calls and upstream requests of the operation as JSON text, for admins; `caller` may have the session
   * of another role. What fails is a response with `errors`.
   */
  explain(request: GraphQLRequest, caller: GraphQLCaller, form: ExplainForm): Promise<GraphQLResponse>;
}

export function createGraphQLHandler(dependencies: OperationDependencies): GraphQLHandler {
  const { limits, observe, model } = dependencies;

  async function respond(
    request: GraphQLRequest,
    caller: GraphQLCaller,
    readsPrimary = false,
  ): Promise<GraphQLResponse> {
    const outcome = await runOperation(request, caller, dependencies, { readsPrimary });
    switch (outcome.kind) {
      case 'completed':
        reportFieldErrors(outcome.errors, caller, observe);
        return { status: 200, body: outcome.body, headers: outcome.headers };
      case 'failed':
        return failed(outcome.thrown, caller);
      case 'subscribed':
        throw new Error('a subscription was started without a socket');
      default:
        return outcome satisfies never;
    }
  }

  function failed(thrown: unknown, caller: GraphQLCaller): GraphQLResponse {
    const errors = reportErrors(thrown, caller, observe);
    return { status: toServiceError(thrown).status, body: printJson({ errors }), headers: [] };
  }

  return {
    respond: (request, caller) => respond(request, caller),
    respondToBatch: async (requests, caller) => {
      limits.checkBatch(requests.length, caller.session.role, model());
      return runBatch(requests, caller.signal, (request, afterMutation) => respond(request, caller, afterMutation));
    },
    explain: async (request, given, { format, plan: plans }) => {
      // The sender is an admin, also where the session is that of another role.
      const caller = { ...given, showInternal: true };
      try {
        const operation = planRequest(request, caller, model(), limits);
        const context = contextOf(request, caller, operation, dependencies, 'primary');
        const steps = await explainPlan(operation.plan, context, { plan: format === 'list' ? 'text' : plans });
        const { kind, name = null } = operation.plan;
        const { role } = caller.session;
        const body = format === 'list' ? asList(steps, operation.plan) : { operation: { kind, name }, role, steps };
        return { status: 200, body: printJson(body), headers: [] };
      } catch (thrown) {
        return failed(thrown, caller);
      }
    },
  };
}
