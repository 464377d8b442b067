/** Asks a remote GraphQL service what it offers: one introspection, before anything is resolved. */
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

/** Bytes; the largest public schemas known are a fifth of it. */
const MOST_INTROSPECTION = 32 * 1024 * 1024;

/** From what the newest servers understand down to what all do: an unknown field makes a server refuse the whole. */
const questions: readonly string[] = [
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
 * The schema of the service behind `definition`, checked. Throws `remote-schema-error` when it cannot be reached or
 * answers with something else, and `invalid-configuration` when an environment variable is missing. Messages name
 * neither URL nor headers.
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
    // Some servers answer nobody who does not say a name.
    ['user-agent', 'joinery'],
  ];
  const timeoutMs = definition.timeout_seconds * 1000;
  let refusal: ServiceError | undefined;
  for (const query of questions) {
    const answer = await call(tools.httpClient, { url, headers: withoutRepeats(headers), query, timeoutMs });
    const data = dataOf(answer);
    if (!(data instanceof ServiceError)) return buildUpstream(data);
    refusal = data;
  }
  throw refusal ?? new ServiceError('unexpected', 'no introspection query was sent');
}

/** Where the URL of a remote schema comes from, as the model has it. */
export function urlOf(definition: RemoteSchemaDefinition): RemoteSchema['url'] {
  if (definition.url_from_env !== undefined) return { fromEnv: definition.url_from_env };
  return { template: definition.url ?? '' };
}

/** The address to call now. Throws `invalid-configuration` when a variable is missing. */
export function remoteUrl(url: RemoteSchema['url'], environment: Environment): string {
  return 'fromEnv' in url ? variable(url.fromEnv, environment) : expand(url.template, environment);
}

/** Of headers with one name the first; names do not differ by case. */
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

/** What the service said of itself; a ServiceError when it said that it cannot answer this question. */
function dataOf(answer: HttpResponse): unknown {
  const body = parsed(answer);
  const { data, errors } = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  if (typeof data === 'object' && data !== null && '__schema' in data) return data;
  const said = firstMessage(errors);
  if (said !== undefined) {
    return new ServiceError('remote-schema-error', `the remote schema refused to be introspected: ${said}`, {
      internal: { errors },
    });
  }
  throw new ServiceError('remote-schema-error', notGraphQL(answer.status, 'is JSON, but no GraphQL answer'));
}

function parsed(answer: HttpResponse): unknown {
  try {
    return parseJson(answer.body);
  } catch (error) {
    throw new ServiceError('remote-schema-error', notGraphQL(answer.status, 'is not JSON'), { cause: error });
  }
}

function notGraphQL(status: number, fault: string): string {
  return `the answer to introspection (status ${status}) ${fault}; see that the URL is that of a GraphQL endpoint`;
}

/** The message of the first of a GraphQL answer's errors. */
export function firstMessage(errors: unknown): string | undefined {
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const [first] = errors as readonly unknown[];
  const message = typeof first === 'object' && first !== null && 'message' in first ? first.message : undefined;
  return typeof message === 'string' ? message : 'an error without a message';
}

/** What a service with this schema answers to the whole introspection query: the `data`, ready for JSON. */
export function introspectionOf(schema: GraphQLSchema): IntrospectionQuery {
  return introspectionFromSchema(schema);
}

/**
 * The schema of the `data` of an introspection, checked: one that breaks the rules of GraphQL would break every request
 * that is checked against it. Throws `remote-schema-error`.
 */
export function buildUpstream(data: unknown): GraphQLSchema {
  let schema: GraphQLSchema;
  try {
    schema = buildClientSchema(data as IntrospectionQuery);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceError('remote-schema-error', `what the remote schema says of itself cannot be read: ${reason}`, {
      cause: error,
    });
  }
  const [flaw] = validateSchema(schema);
  if (flaw === undefined) return schema;
  throw new ServiceError('remote-schema-error', `the remote schema breaks the rules of GraphQL: ${flaw.message}`);
}
