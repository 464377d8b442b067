/** Introspects remote schemas. */
import type { RemoteSchemaDefinition } from '@joinery/metadata/schema/remote-schemas';
import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  introspectionFromSchema,
  validateSchema,
} from 'graphql';
import { type Environment, expand, expandHeaders, variable } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import { type HttpClient, type HttpResponse, UpstreamError } from '../../base/http-client/http-client.ts';
import { parseJson } from '../../base/json-value.ts';
import type { RemoteSchema } from '../types/table.ts';

export interface IntrospectionTools {
  readonly httpClient: HttpClient;
  readonly environment: Environment;
}

/** In bytes, five times the largest known public schemas. */
const MOST_INTROSPECTION = 32 * 1024 * 1024;

/** From the newest to the oldest specification, because a server rejects a query with an unknown field. */
const introspectionQueries: readonly string[] = [
  getIntrospectionQuery({
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    inputValueDeprecation: true,
    oneOf: true,
  }),
  getIntrospectionQuery({ inputValueDeprecation: true }),
  getIntrospectionQuery(),
];

/**
 * Returns the validated schema of a remote schema. Throws `remote-schema-error` if it cannot be reached or its response
 * is no introspection, and `invalid-configuration` if an environment variable is missing. Messages contain neither the
 * URL nor headers.
 */
export async function introspect(
  definition: RemoteSchemaDefinition,
  tools: IntrospectionTools,
): Promise<GraphQLSchema> {
  const url = remoteUrl(urlOf(definition), tools.environment);
  const headers: [string, string][] = [
    ...expandHeaders(definition.headers ?? [], tools.environment),
    ['content-type', 'application/json'],
    ['accept', 'application/graphql-response+json, application/json;q=0.9'],
    // Some servers reject requests without a user agent.
    ['user-agent', 'joinery'],
  ];
  const timeoutMs = definition.timeout_seconds * 1000;
  let rejection: ServiceError | undefined;
  for (const query of introspectionQueries) {
    const response = await call(tools.httpClient, { url, headers: withoutRepeats(headers), query, timeoutMs });
    const data = dataOf(response);
    if (!(data instanceof ServiceError)) return buildUpstream(data);
    rejection = data;
  }
  throw rejection ?? new ServiceError('unexpected', 'no introspection query was sent');
}

/** The URL of a remote schema: a template, or an environment variable. */
export function urlOf(definition: RemoteSchemaDefinition): RemoteSchema['url'] {
  if (definition.url_from_env !== undefined) return { fromEnv: definition.url_from_env };
  return { template: definition.url ?? '' };
}

/** The expanded URL. Throws `invalid-configuration` if a variable is missing. */
export function remoteUrl(url: RemoteSchema['url'], environment: Environment): string {
  return 'fromEnv' in url ? variable(url.fromEnv, environment) : expand(url.template, environment);
}

/** The first header of each name, compared case-insensitively. */
export function withoutRepeats(headers: readonly (readonly [string, string])[]): (readonly [string, string])[] {
  const seen = new Set<string>();
  return headers.filter(([name]) => {
    const known = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    return !known;
  });
}

interface Call {
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly query: string;
  readonly timeoutMs: number;
}

async function call(httpClient: HttpClient, { url, headers, query, timeoutMs }: Call): Promise<HttpResponse> {
  try {
    return await httpClient.call({
      method: 'POST',
      url,
      headers,
      body: JSON.stringify({ query, operationName: 'IntrospectionQuery' }),
      timeoutMs,
      maxBytes: MOST_INTROSPECTION,
      overflow: 'fail',
    });
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    throw new ServiceError('remote-schema-error', `the remote schema could not be introspected: ${error.message}`, {
      cause: error,
    });
  }
}

/** The introspection in the response. Returns a ServiceError for a GraphQL error; throws for anything else. */
function dataOf(response: HttpResponse): unknown {
  const body = parsed(response);
  const { data, errors } = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  if (typeof data === 'object' && data !== null && '__schema' in data) return data;
  const message = firstMessage(errors);
  if (message !== undefined) {
    return new ServiceError('remote-schema-error', `the remote schema rejected the introspection: ${message}`, {
      internal: { errors },
    });
  }
  throw new ServiceError('remote-schema-error', notGraphQL(response.status, 'is JSON, but not a GraphQL response'));
}

function parsed(response: HttpResponse): unknown {
  try {
    return parseJson(response.body);
  } catch (error) {
    throw new ServiceError('remote-schema-error', notGraphQL(response.status, 'is not JSON'), { cause: error });
  }
}

function notGraphQL(status: number, reason: string): string {
  return `the response to the introspection (status ${status}) ${reason}; check that the URL is a GraphQL endpoint`;
}

/** The message of the first error of a GraphQL response; undefined if it has none. */
export function firstMessage(errors: unknown): string | undefined {
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const [first] = errors as readonly unknown[];
  const message = typeof first === 'object' && first !== null && 'message' in first ? first.message : undefined;
  return typeof message === 'string' ? message : 'an error without a message';
}

/** The `data` of the full introspection of a schema. */
export function introspectionOf(schema: GraphQLSchema): IntrospectionQuery {
  return introspectionFromSchema(schema);
}

/**
 * Builds the schema of the `data` of an introspection. Validates it, because requests cannot be validated against an
 * invalid schema. Throws `remote-schema-error`.
 */
export function buildUpstream(data: unknown): GraphQLSchema {
  let schema: GraphQLSchema;
  try {
    schema = buildClientSchema(data as IntrospectionQuery);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceError('remote-schema-error', `the introspection of the remote schema is not usable: ${reason}`, {
      cause: error,
    });
  }
  const [error] = validateSchema(schema);
  if (error === undefined) return schema;
  throw new ServiceError('remote-schema-error', `the remote schema is not valid GraphQL: ${error.message}`);
}
