/** Calls remote schemas, and converts failed calls to errors. */
import { ServiceError } from '../../base/errors.ts';
import { type HttpResponse, UpstreamError } from '../../base/http-client/http-client.ts';
import { isJsonObject, parseJson } from '../../base/json-value.ts';
import { maskUrls } from '../../base/telemetry/redact.ts';
import { firstMessage, remoteUrl } from '../../model/remote/introspection.ts';
import type { RemoteSchema } from '../../model/types/table.ts';
import type { ExecuteContext } from '../context/context.ts';
import { bodyOf, type RemoteDocument } from './document.ts';
import { remoteHeaders } from './headers.ts';

/** Maximum number of characters of a document or response in an error. */
const MAX_SHOWN = 1_000;

export interface RemoteResponse {
  /** With exact numbers. Undefined if there are only errors. */
  readonly data: Readonly<Record<string, unknown>> | undefined;
  /** The unchanged errors of the remote schema. */
  readonly errors: readonly unknown[];
  /** An explanation of the errors for admins. */
  readonly note?: string;
}

/**
 * Sends `document`. Throws `remote-schema-error` if there is no GraphQL response before the timeout. With
 * `remoteSchemaPrioritizeData`, errors beside data are dropped.
 */
export async function callRemote(
  remote: RemoteSchema,
  document: RemoteDocument,
  context: ExecuteContext,
): Promise<RemoteResponse> {
  let response: HttpResponse;
  try {
    response = await send(remote, document, context);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    throw new ServiceError('remote-schema-error', `remote schema "${remote.name}" did not respond: ${error.message}`, {
      cause: error,
      internal: { kind: error.kind, url: shownUrl(remote), query: shortened(document.query) },
    });
  }
  for (const [name, value] of response.headers) if (/^set-cookie$/i.test(name)) context.cookies?.push(value);
  const body = read(remote, response);
  const errors = firstMessage(body.errors) === undefined ? [] : (body.errors as readonly unknown[]);
  if (typeof body.data === 'object' && body.data !== null && !Array.isArray(body.data)) {
    const data = body.data as Readonly<Record<string, unknown>>;
    return { data, errors: context.settings.remoteSchemaPrioritizeData === true ? [] : errors };
  }
  if (errors.some(isRejection)) {
    context.suspectRemoteSchema?.(remote.name);
    return { data: undefined, errors, note: schemaChanged(remote) };
  }
  if (errors.length > 0) return { data: undefined, errors };
  throw unreadable(remote, response, 'no GraphQL response');
}

function send(remote: RemoteSchema, document: RemoteDocument, context: ExecuteContext): Promise<HttpResponse> {
  return context.httpClient.call({
    method: 'POST',
    url: remoteUrl(remote.url, context.environment),
    headers: remoteHeaders(remote, context),
    body: bodyOf(document),
    timeoutMs: remote.timeoutMs,
    maxBytes: context.settings.maxRemoteResponseBytes,
    overflow: 'fail',
    signal: context.signal,
    purpose: { kind: 'remote-schema', name: remote.name },
  });
}

function read(remote: RemoteSchema, response: HttpResponse): { readonly data?: unknown; readonly errors?: unknown } {
  let body: unknown;
  try {
    body = parseJson(response.body);
  } catch (cause) {
    throw unreadable(remote, response, 'something that is not JSON', cause);
  }
  if (isJsonObject(body)) return body;
  throw unreadable(remote, response, 'no GraphQL response');
}

function unreadable(remote: RemoteSchema, { status, body }: HttpResponse, what: string, cause?: unknown): ServiceError {
  return new ServiceError('remote-schema-error', `remote schema "${remote.name}" sent ${what} (status ${status})`, {
    cause,
    internal: { url: shownUrl(remote), status, body: shortened(body) },
  });
}

/** Error codes of GraphQL servers for requests that do not match their schema. */
const rejectionCodes: ReadonlySet<unknown> = new Set([
  'GRAPHQL_VALIDATION_FAILED',
  'GRAPHQL_PARSE_FAILED',
  'validation-failed',
]);

/**
 * Whether the error reports that the request does not match the schema: it has a location in the document, but no path in
 * the response, because nothing was executed.
 */
function isRejection(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || 'path' in error) return false;
  const { locations, extensions } = error as { readonly locations?: unknown; readonly extensions?: unknown };
  if (Array.isArray(locations) && locations.length > 0) return true;
  return (
    typeof extensions === 'object' && extensions !== null && 'code' in extensions && rejectionCodes.has(extensions.code)
  );
}

function schemaChanged({ name }: RemoteSchema): string {
  return `remote schema "${name}" rejected a request that is valid for its known schema; the schema is introspected again`;
}

function shortened(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}

/** Returns the URL of the metadata with masked credentials. */
function shownUrl({ url }: RemoteSchema): RemoteSchema['url'] {
  return 'fromEnv' in url ? url : { template: maskUrls(url.template) };
}
