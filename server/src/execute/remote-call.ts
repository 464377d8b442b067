/** One call of a remote schema, its answer, and what is told of a call that went wrong. */
import { ServiceError } from '../base/errors.ts';
import { parseJson, printJson } from '../base/json.ts';
import { type OutboundAnswer, OutboundError } from '../base/outbound.ts';
import type { RemoteSchema } from '../model/table-model.ts';
import { firstMessage, remoteUrl } from '../model/upstream.ts';
import type { ExecuteContext } from './context.ts';
import type { RemoteDocument } from './remote-document.ts';
import { remoteHeaders } from './remote-headers.ts';

/** Characters of a document or an answer that an admin is shown. */
const LONGEST_SHOWN = 1_000;

/**
 * Sends `document` and gives back the `data` of the answer, its numbers exact. Throws `remote-schema-error` when there
 * is no answer in time or no GraphQL in it, and what `refused` makes of `errors` when there are any.
 */
export async function callRemote(
  remote: RemoteSchema,
  document: RemoteDocument,
  context: ExecuteContext,
  refused: (errors: readonly unknown[]) => ServiceError,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await send(remote, document, context);
  const body = read(remote, answer);
  if (firstMessage(body.errors) !== undefined) throw refused(body.errors as readonly unknown[]);
  if (typeof body.data === 'object' && body.data !== null) return body.data as Readonly<Record<string, unknown>>;
  throw unreadable(remote, answer, 'no GraphQL answer');
}

async function send(remote: RemoteSchema, document: RemoteDocument, context: ExecuteContext): Promise<OutboundAnswer> {
  const { query, variables } = document;
  try {
    return await context.outbound.call({
      method: 'POST',
      url: remoteUrl(remote.url, context.environment),
      headers: remoteHeaders(remote, context),
      body: printJson(Object.keys(variables).length === 0 ? { query } : { query, variables }),
      timeoutMs: remote.timeoutMs,
      maxBytes: context.settings.maxRemoteResponseBytes,
      overflow: 'fail',
      signal: context.signal,
    });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw new ServiceError('remote-schema-error', `remote schema "${remote.name}" did not answer: ${error.message}`, {
      cause: error,
      internal: { kind: error.kind, url: remote.url, query: shortened(query) },
    });
  }
}

function read(remote: RemoteSchema, answer: OutboundAnswer): { readonly data?: unknown; readonly errors?: unknown } {
  let body: unknown;
  try {
    body = parseJson(answer.body);
  } catch (cause) {
    throw unreadable(remote, answer, 'something that is not JSON', cause);
  }
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw unreadable(remote, answer, 'no GraphQL answer');
}

function unreadable(
  remote: RemoteSchema,
  { status, body }: OutboundAnswer,
  what: string,
  cause?: unknown,
): ServiceError {
  return new ServiceError('remote-schema-error', `remote schema "${remote.name}" sent ${what} (status ${status})`, {
    cause,
    internal: { url: remote.url, status, body: shortened(body) },
  });
}

function shortened(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text;
}
