/** REST endpoints: URLs of stored operations. */
import type { Session } from '../../auth/session.ts';
import { ServiceError } from '../../base/errors.ts';
import { parseJson } from '../../base/json-value.ts';
import type { RestRoute } from '../../model/types/stored-operation.ts';
import { holdsOperation, storedVariables } from '../../plan/document/stored.ts';
import { roleSchema } from '../../schema/role-schema.ts';
import type { GraphQLResponse } from '../graphql/handler.ts';
import {
  type CompletedOperation,
  errorsOf,
  type FailedOperation,
  type GraphQLCaller,
  type OperationDependencies,
  type OperationOutcome,
  runOperation,
} from '../graphql/run-operation.ts';
import { type OpenApiSettings, openApiDocument } from './open-api.ts';
import { type RestValues, variablesFrom } from './variables.ts';

export interface RestRequest extends Omit<RestValues, 'path'> {
  readonly method: string;
  /** The path after `/api/rest/`, decoded. */
  readonly segments: readonly string[];
  /** Whether a web page of another origin may have made a browser send it with the user's cookies. */
  readonly mayBeForged: boolean;
}

export interface Rest {
  /**
   * The `data` of the operation as JSON text. Rejects with `not-found`, `method-not-allowed`, or the first error of the
   * operation; the caller reports it.
   */
  respond(request: RestRequest, caller: GraphQLCaller): Promise<GraphQLResponse>;
  /** The OpenAPI document of the endpoints that the role may call. */
  describe(session: Session): Readonly<Record<string, unknown>>;
}

interface RouteMatch {
  readonly route: RestRoute;
  readonly path: ReadonlyMap<string, string>;
}

export function createRest(dependencies: OperationDependencies, settings: OpenApiSettings): Rest {
  const { model } = dependencies;
  return {
    describe: (session) => openApiDocument(model(), session, settings),
    respond: async (request, caller) => {
      const { route, path } = findRoute(model().stored.routes, request);
      const { query } = route;
      if (request.mayBeForged && !route.allowsGetMutation && holdsOperation(query, 'mutation')) throw forged(route);
      const { role, backend } = caller.session;
      const outcome = await runOperation(
        (now) => {
          const declared = storedVariables(roleSchema(now, role, backend), query);
          return { query, variables: variablesFrom(declared, { ...request, path }), operationName: undefined };
        },
        caller,
        dependencies,
        { query },
      );
      return responseOf(outcome, caller);
    },
  };
}

function forged({ name }: RestRoute): ServiceError {
  return new ServiceError(
    'access-denied',
    `the endpoint "${name}" runs a mutation: a cookie alone does not authenticate a GET request to it. Use another method, send the token in a header, or set "allow_get_mutation" of the endpoint`,
    { status: 403 },
  );
}

function findRoute(routes: readonly RestRoute[], { method, segments }: RestRequest): RouteMatch {
  const candidates = routes.flatMap((route): RouteMatch[] => {
    const path = match(route, segments);
    return path === undefined ? [] : [{ route, path }];
  });
  if (candidates.length === 0) throw new ServiceError('not-found', 'Endpoint not found');
  const found = candidates.find(({ route }) => (route.methods as readonly string[]).includes(method));
  if (found !== undefined) return found;
  const methods = [...new Set(candidates.flatMap(({ route }) => route.methods))];
  throw new ServiceError('method-not-allowed', `Allowed methods: ${methods.join(', ')}`);
}

/** Returns the variables of the path, or undefined where it does not fit the route. */
function match({ segments }: RestRoute, given: readonly string[]): ReadonlyMap<string, string> | undefined {
  if (segments.length !== given.length) return undefined;
  const variables = new Map<string, string>();
  for (const [position, segment] of segments.entries()) {
    const text = given[position] ?? '';
    if (segment.kind === 'variable') variables.set(segment.name, text);
    else if (segment.text !== text) return undefined;
  }
  return variables;
}

/** A REST client sees the status alone, so that one error fails the whole. */
function responseOf(outcome: OperationOutcome, caller: GraphQLCaller): GraphQLResponse {
  switch (outcome.kind) {
    case 'failed':
      throw failedOperation(outcome, caller);
    case 'completed':
      return { status: 200, body: dataOf(outcome), headers: outcome.headers };
    case 'subscribed':
      throw new Error('a subscription was started without a socket');
    default:
      return outcome satisfies never;
  }
}

function failedOperation(outcome: FailedOperation, caller: GraphQLCaller): ServiceError {
  const [first] = errorsOf(outcome, caller);
  return first === undefined ? outcome.error : restError(first as PrintedError, outcome.error, outcome.error.status);
}

type PrintedError = { readonly message: string; readonly extensions?: Readonly<Record<string, unknown>> };

function dataOf({ body, errors }: CompletedOperation): string {
  const [first] = errors;
  if (first === undefined) return body.slice('{"data":'.length, -1);
  const printed = parseJson(body) as { readonly errors: readonly [PrintedError] };
  throw restError(printed.errors[0], first.error, 200);
}

/** The error as a REST client gets it: a path, a code, and `internal` with the other extensions. */
function restError({ message, extensions = {} }: PrintedError, error: ServiceError, status: number): ServiceError {
  const { path, code, internal, ...others } = extensions;
  return new ServiceError(error.code, message, {
    path: typeof path === 'string' ? path : '$',
    status: status === 200 ? 500 : status,
    internal: internal ?? (Object.keys(others).length > 0 ? others : undefined),
    ...(typeof code === 'string' && { foreignCode: code }),
    cause: error,
  });
}
