/** Requests to the GraphQL endpoint as any role. All functions throw Failure. */
import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import type { Client, ResponseBody, SentResponse } from '../../api/client.ts';
import { Failure, rejectionOf, unreadable } from '../../api/failure.ts';

export type Headers = Readonly<Record<string, string>>;

export interface GraphQLRequest {
  readonly query: string;
  /** A JSON object as text. Empty for none. */
  readonly variables: string;
  readonly operationName: string | undefined;
}

export async function readSchema(client: Client, headers: Headers, signal: AbortSignal): Promise<GraphQLSchema> {
  return schemaOf(await client.post('/v1/graphql', introspection(), headers, signal));
}

/** Sends the given headers only. */
export async function readSchemaAs(client: Client, headers: Headers, signal: AbortSignal): Promise<GraphQLSchema> {
  return schemaOf(await client.send('/v1/graphql', introspection(), headers, signal));
}

function introspection(): string {
  return JSON.stringify({ query: getIntrospectionQuery({ inputValueDeprecation: true }) });
}

function schemaOf(response: ResponseBody): GraphQLSchema {
  const { data } = bodyOf(response) as { data?: IntrospectionQuery };
  if (data === undefined) throw errorOf(response);
  return buildClientSchema(data);
}

export interface Ran {
  /** The response, which can contain errors. */
  readonly response: unknown;
  readonly durationMs: number;
}

export async function run(client: Client, request: GraphQLRequest, headers: Headers): Promise<Ran> {
  const started = performance.now();
  const response = await client.post('/v1/graphql', written(request), headers);
  return { response: response.body, durationMs: performance.now() - started };
}

/** Sends the given headers only. */
export function runAs(
  client: Client,
  request: GraphQLRequest,
  headers: Headers,
  signal: AbortSignal,
): Promise<SentResponse> {
  return client.send('/v1/graphql', written(request), headers, signal);
}

/** `measure` executes the statements of queries in a read-only transaction. */
export async function explain(
  client: Client,
  request: GraphQLRequest,
  user: Headers,
  measure: boolean,
  signal?: AbortSignal,
): Promise<readonly ExplainedStep[]> {
  const option = measure ? '"analyze":true' : '"plan":true';
  const body = `{"query":${written(request)},"user":${JSON.stringify(user)},"format":"tree",${option}}`;
  const response = await client.post('/v1/graphql/explain', body, {}, signal);
  const { steps } = bodyOf(response) as { steps?: readonly ExplainedStep[] };
  if (steps === undefined) throw errorOf(response);
  return steps;
}

function written({ query, variables, operationName }: GraphQLRequest): string {
  const name = operationName === undefined ? '' : `,"operationName":${JSON.stringify(operationName)}`;
  return `{"query":${JSON.stringify(query)},"variables":${variables.trim() === '' ? '{}' : variables}${name}}`;
}

function bodyOf({ status, body }: ResponseBody): object {
  if (typeof body !== 'object' || body === null) throw unreadable(status);
  return body;
}

/** Converts GraphQL errors, with the hint for admins, or another error response to a Failure. */
function errorOf({ status, body }: ResponseBody): Failure {
  const { errors } = body as { errors?: readonly ResponseError[] };
  const [first] = errors ?? [];
  if (first === undefined) return rejectionOf(status, body);
  const { code = 'unexpected', path = '$', hint } = first.extensions ?? {};
  return new Failure({ code, path, status, message: hint === undefined ? first.message : `${first.message}: ${hint}` });
}

interface ResponseError {
  readonly message: string;
  readonly extensions?: { readonly code?: string; readonly path?: string; readonly hint?: string };
}

export interface Statement {
  readonly kind: 'statement';
  readonly source?: string;
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly plan?: unknown;
}

export interface Call {
  readonly kind: 'call';
  readonly action: string;
  readonly handler: string;
}

export interface RemoteRequest {
  readonly kind: 'request';
  readonly remote_schema: string;
  readonly document?: string;
}

export interface ExplainedJoin {
  readonly path: readonly string[];
  readonly keys: readonly string[];
  readonly target: (Statement & { readonly table: string; readonly columns: readonly string[] }) | Call | RemoteRequest;
  readonly joins: readonly ExplainedJoin[];
}

/** A step of the response of `POST /v1/graphql/explain` with format `tree`. */
export type ExplainedStep = { readonly fields: readonly string[]; readonly joins: readonly ExplainedJoin[] } & (
  | (Statement & { readonly writes?: true; readonly polled?: 'live' | 'stream' })
  | (Call & { readonly input: unknown; readonly later?: true })
  | RemoteRequest
);
