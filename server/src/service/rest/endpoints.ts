/** REST endpoints: a URL that stands for a stored operation. */
import type { Session } from '../../auth/session.ts';
import { ServiceError } from '../../base/errors.ts';
import { parseJson, printJson } from '../../base/json-value.ts';
import type { Model } from '../../model/model.ts';
import type { RestRoute } from '../../model/types/stored-operation.ts';
import { holdsOperation, storedVariables } from '../../plan/document/stored.ts';
import { roleSchema } from '../../schema/role-schema.ts';
import type { GraphQLCaller, GraphQLHandler, GraphQLResponse } from '../graphql/handler.ts';
import { type OpenApiSettings, openApiDocument } from './open-api.ts';
import { type RestValues, variablesFrom } from './variables.ts';

export interface RestRequest extends Omit<RestValues, 'path'> {
  readonly method: string;
  /** Behind `/api/rest/`, decoded. */
  readonly segments: readonly string[];
  /** Whether a web page of another origin may have made a browser send it with the user's cookies. */
  readonly mayBeForged: boolean;
}

export interface Rest {
  /**
   * The `data` of the operation as JSON text. Rejects with `not-found`, `method-not-allowed`, or the first error of the
   * operation.
   */
  answer(request: RestRequest, caller: GraphQLCaller): Promise<GraphQLResponse>;
  /** The OpenAPI document of what the role may call. */
  describe(session: Session): Readonly<Record<string, unknown>>;
}

interface Found {
  readonly route: RestRoute;
  readonly path: ReadonlyMap<string, string>;
}

export function createRest(
  model: () => Model,
  graphql: Pick<GraphQLHandler, 'answer'>,
  settings: OpenApiSettings,
): Rest {
  return {
    describe: (session) => openApiDocument(model(), session, settings),
    answer: async (request, caller) => {
      const now = model();
      const { route, path } = find(now.stored.routes, request);
      if (request.mayBeForged && !route.allowsGetMutation && holdsOperation(route.query, 'mutation'))
        throw forged(route);
      const { role, backend } = caller.session;
      const declared = storedVariables(roleSchema(now, role, backend), route.query);
      const variables = variablesFrom(declared, { ...request, path });
      const answer = await graphql.answer({ query: route.query, variables, operationName: undefined }, caller);
      return { ...answer, body: dataOf(answer) };
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

function find(routes: readonly RestRoute[], { method, segments }: RestRequest): Found {
  const candidates = routes.flatMap((route): Found[] => {
    const path = match(route, segments);
    return path === undefined ? [] : [{ route, path }];
  });
  if (candidates.length === 0) throw new ServiceError('not-found', 'Endpoint not found');
  const found = candidates.find(({ route }) => (route.methods as readonly string[]).includes(method));
  if (found !== undefined) return found;
  const methods = [...new Set(candidates.flatMap(({ route }) => route.methods))];
  throw new ServiceError('method-not-allowed', `Allowed methods: ${methods.join(', ')}`);
}

/** The variables of the path, or undefined where it is another one. */
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

interface WrittenError {
  readonly message: string;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** A REST client looks at the status alone, so that one error fails the whole. */
function dataOf({ body, status }: GraphQLResponse): string {
  // Parsed only where errors may stand in it: data may be large.
  if (!body.includes('"errors":')) return body.slice('{"data":'.length, -1);
  const { data, errors } = parseJson(body) as { readonly data?: unknown; readonly errors?: readonly WrittenError[] };
  const [first] = errors ?? [];
  if (first === undefined) return printJson(data);
  const { path, code, internal, ...own } = first.extensions ?? {};
  throw new ServiceError('unexpected', first.message, {
    path: typeof path === 'string' ? path : '$',
    status: status === 200 ? 500 : status,
    internal: internal ?? (Object.keys(own).length > 0 ? own : undefined),
    ...(typeof code === 'string' && { foreignCode: code }),
  });
}
