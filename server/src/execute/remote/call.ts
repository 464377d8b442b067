/** One call of a remote schema, its answer, and what is told of a call that went wrong. */
import { ServiceError } from '../../base/errors.ts';
import { type HttpResponse, UpstreamError } from '../../base/http-client/http-client.ts';
import { parseJson, printJson } from '../../base/json-value.ts';
import { maskUrls } from '../../base/telemetry/log.ts';
import { firstMessage, remoteUrl } from '../../model/remote/introspection.ts';
import type { RemoteSchema } from '../../model/types/table.ts';
import type { ExecuteContext } from '../context/context.ts';
import type { RemoteDocument } from './document.ts';
import { remoteHeaders } from './headers.ts';

/** Characters of a document or an answer that an admin is shown. */
const LONGEST_SHOWN = 1_000;

export interface RemoteAnswer {
  /** Its numbers exact. Undefined where there are errors and nothing else. */
  readonly data: Readonly<Record<string, unknown>> | undefined;
  /** As the remote schema wrote them. */
  readonly errors: readonly unknown[];
  /** What an admin should know about the errors. */
  readonly note?: string;
}

/**
 * Sends `document`. Throws `remote-schema-error` when there is no answer in time or no GraphQL in it. With
 * `remoteSchemaPrioritizeData` the errors beside data are not among the answer.
 */
export async function callRemote(
  remote: RemoteSchema,
  document: RemoteDocument,
  context: ExecuteContext,
): Promise<RemoteAnswer> {
  const answer = await send(remote, document, context);
  const body = read(remote, answer);
  const errors = firstMessage(body.errors) === undefined ? [] : (body.errors as readonly unknown[]);
  if (typeof body.data === 'object' && body.data !== null && !Array.isArray(body.data)) {
    const data = body.data as Readonly<Record<string, unknown>>;
    return { data, errors: context.settings.remoteSchemaPrioritizeData === true ? [] : errors };
  }
  if (errors.some(isRefusal)) {
    context.doubt?.(remote.name);
    return { data: undefined, errors, note: refused(remote) };
  }
  if (errors.length > 0) return { data: undefined, errors };
  throw unreadable(remote, answer, 'no GraphQL answer');
}

async function send(remote: RemoteSchema, document: RemoteDocument, context: ExecuteContext): Promise<HttpResponse> {
  const { query, variables } = document;
  try {
    return await context.httpClient.call({
      method: 'POST',
      url: remoteUrl(remote.url, context.environment),
      headers: remoteHeaders(remote, context),
      body: printJson(Object.keys(variables).length === 0 ? { query } : { query, variables }),
      timeoutMs: remote.timeoutMs,
      maxBytes: context.settings.maxRemoteResponseBytes,
      overflow: 'fail',
      signal: context.signal,
      purpose: { kind: 'remote-schema', name: remote.name },
    });
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    throw new ServiceError('remote-schema-error', `remote schema "${remote.name}" did not answer: ${error.message}`, {
      cause: error,
      internal: { kind: error.kind, url: shownUrl(remote), query: shortened(query) },
    });
  }
}

function read(remote: RemoteSchema, answer: HttpResponse): { readonly data?: unknown; readonly errors?: unknown } {
  let body: unknown;
  try {
    body = parseJson(answer.body);
  } catch (cause) {
    throw unreadable(remote, answer, 'something that is not JSON', cause);
  }
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw unreadable(remote, answer, 'no GraphQL answer');
}

function unreadable(remote: RemoteSchema, { status, body }: HttpResponse, what: string, cause?: unknown): ServiceError {
  return new ServiceError('remote-schema-error', `remote schema "${remote.name}" sent ${what} (status ${status})`, {
    cause,
    internal: { url: shownUrl(remote), status, body: shortened(body) },
  });
}

/** By codes of the servers that send one for a request that does not fit their schema. */
const refusalCodes: ReadonlySet<unknown> = new Set([
  'GRAPHQL_VALIDATION_FAILED',
  'GRAPHQL_PARSE_FAILED',
  'validation-failed',
]);

/**
 * Does the error say that the request does not fit the schema? It tells a place in the document and none in the answer,
 * because nothing was run.
 */
function isRefusal(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || 'path' in error) return false;
  const { locations, extensions } = error as { readonly locations?: unknown; readonly extensions?: unknown };
  if (Array.isArray(locations) && locations.length > 0) return true;
  return (
    typeof extensions === 'object' && extensions !== null && 'code' in extensions && refusalCodes.has(extensions.code)
  );
}

function refused({ name }: RemoteSchema): string {
  return `remote schema "${name}" refused a request that fits what it offered; it is asked again what it offers now`;
}

function shortened(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text;
}

/** As the metadata has it, credentials masked. */
function shownUrl({ url }: RemoteSchema): RemoteSchema['url'] {
  return 'fromEnv' in url ? url : { template: maskUrls(url.template) };
}
