/** One GraphQL request and its response, independent of how they are received and sent. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Session } from '../auth/session.ts';
import type { Cancellation } from '../base/cancellation.ts';
import { graphqlError, type ServiceError, toServiceError } from '../base/errors.ts';
import { printJson } from '../base/json-value.ts';
import type { Observe } from '../base/telemetry/observe.ts';
import type { Span } from '../base/telemetry/trace.ts';
import type { GraphQLHandler, GraphQLResponse } from '../service/graphql/handler.ts';
import type { PersistedQueries } from '../service/graphql/persisted-queries.ts';
import type { GraphQLCaller } from '../service/graphql/run-operation.ts';
import { POSITION_HEADER } from '../service/sources/read-consistency.ts';
import { toRequest } from './graphql-request.ts';
import { type HttpSettings, showsInternal } from './settings.ts';

const specified = 'application/graphql-response+json';

export interface GraphQLParts {
  readonly graphql: GraphQLHandler;
  readonly persisted: PersistedQueries;
  readonly observe: Observe;
}

/** When errors set the HTTP status: always, or for clients that accept the media type of the specification. */
export type Statuses = 'negotiated' | 'always';

export interface Exchange {
  readonly headers: IncomingHttpHeaders;
  readonly requestId: string;
  readonly address: string | undefined;
  readonly span: Span | undefined;
  /** The session of the headers; undefined where it depends on the body. */
  readonly session: Session | undefined;
  /** The body; undefined if there is none. */
  readonly text: string | undefined;
  /** Aborted when the client disconnects. */
  readonly signal: Cancellation;
}

export interface ExchangeResponse {
  readonly status: number;
  /** In order, with the content type. `set-cookie` may occur several times. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

const plainHeaders = [['content-type', 'application/json; charset=utf-8']] as const;
const specifiedHeaders = [['content-type', `${specified}; charset=utf-8`]] as const;

/** Runs `run` for the caller. Never rejects. */
export async function runExchange(
  { observe }: Pick<GraphQLParts, 'observe'>,
  settings: HttpSettings,
  exchange: Exchange,
  run: (caller: GraphQLCaller) => Promise<GraphQLResponse>,
  statuses: Statuses,
): Promise<ExchangeResponse> {
  let session: Session | undefined;
  try {
    const admitted = exchange.session ?? settings.authenticate(exchange.headers, exchange.text, exchange.span);
    session = admitted instanceof Promise ? await admitted : admitted;
    const response = await run(callerOf(exchange, session, settings));
    return toResponse(
      exchange.headers,
      response,
      statuses,
      false,
      response.status === 200 ? session.cookies : undefined,
    );
  } catch (thrown) {
    return rejection({ observe }, settings, exchange, session?.role, thrown, statuses);
  }
}

function callerOf(exchange: Exchange, session: Session, settings: HttpSettings): GraphQLCaller {
  const { headers, signal, requestId, address, span } = exchange;
  const showInternal = showsInternal(settings, session.role);
  return { session, headers, signal, requestId, showInternal, address, queriesOnly: false, relay: false, span };
}

/** Reports the error and returns its response. */
export function rejection(
  { observe }: Pick<GraphQLParts, 'observe'>,
  settings: HttpSettings,
  { requestId, headers, span }: Pick<Exchange, 'requestId' | 'headers' | 'span'>,
  role: string | undefined,
  thrown: unknown,
  statuses: Statuses,
): ExchangeResponse {
  const error = toServiceError(thrown);
  observe({ kind: 'refused', error, requestId, role, span });
  const body = printJson({ errors: [graphqlError(error, showsInternal(settings, role))] });
  return toResponse(headers, { status: error.status, body, headers: [] }, statuses, hasStatus(error, settings));
}

function toResponse(
  { accept }: IncomingHttpHeaders,
  { status, body, headers }: GraphQLResponse,
  statuses: Statuses,
  keepsStatus: boolean,
  cookies?: readonly string[],
): ExchangeResponse {
  const acceptsSpecified = accept?.includes(specified) === true;
  const type = acceptsSpecified ? specifiedHeaders : plainHeaders;
  return {
    status: acceptsSpecified || keepsStatus || statuses === 'always' ? status : 200,
    headers:
      cookies === undefined && headers.length === 0
        ? type
        : [...(cookies ?? []).map((cookie) => ['set-cookie', cookie] as const), ...type, ...headers],
    body,
  };
}

/**
 * Whether every client gets the status of the error: clients of Hasura v2 expect 200, except where the request is not a
 * GraphQL request at all, and for 401 where the settings preserve it.
 */
function hasStatus({ code, status }: ServiceError, { preserves401 }: HttpSettings): boolean {
  if (preserves401 && status === 401) return true;
  return code === 'invalid-json' || code === 'parse-failed' || code === 'bad-request';
}

/** Runs the operation or the batch of a parsed body. */
export function respondToBody(parts: GraphQLParts, body: unknown, caller: GraphQLCaller): Promise<GraphQLResponse> {
  if (Array.isArray(body)) return respondToBatch(parts, body, caller);
  return parts.graphql.respond(toRequest(body, parts.persisted), caller);
}

async function respondToBatch(
  { graphql, persisted }: GraphQLParts,
  body: readonly unknown[],
  caller: GraphQLCaller,
): Promise<GraphQLResponse> {
  const requests = body.map((one) => toRequest(one, persisted));
  const responses = await graphql.respondToBatch(requests, caller);
  return {
    status: 200,
    body: `[${responses.map((response) => response.body).join(',')}]`,
    headers: lastPosition(responses.flatMap((response) => response.headers)),
  };
}

/** Leaves out positions that a later mutation of the batch has replaced. */
function lastPosition(headers: GraphQLResponse['headers']): GraphQLResponse['headers'] {
  const last = headers.findLast(([name]) => name === POSITION_HEADER);
  return last === undefined ? headers : [...headers.filter(([name]) => name !== POSITION_HEADER), last];
}
