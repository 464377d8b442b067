/** The headers of calls to remote schemas. Configured headers override all others, unlike those of handlers. */
import type { Headers } from '../../auth/session.ts';
import { expandHeaders } from '../../base/environment.ts';
import {
  clientHeaders,
  endToEnd,
  forwardedAs,
  headerText,
  hopByHopHeaders,
  neverForwarded,
} from '../../base/http-client/headers.ts';
import { withoutRepeats } from '../../model/remote/introspection.ts';
import type { RemoteSchema } from '../../model/types/table.ts';
import type { ExecuteContext } from '../context/context.ts';

/**
 * Returns the headers. Precedence: configured, session, forwarded headers of the client, defaults. Throws
 * `invalid-configuration` for a missing environment variable.
 */
export function remoteHeaders(remote: RemoteSchema, context: ExecuteContext): (readonly [string, string])[] {
  const { session, environment } = context;
  const { sessionPrefix, version } = context.settings;
  const all: (readonly [string, string])[] = [
    ...expandHeaders(remote.headers, environment),
    [`${sessionPrefix}role`, session.role],
    ...[...session.variables].filter(([name]) => name !== `${sessionPrefix}admin-secret`),
    ...(remote.forwardClientHeaders ? forwarded(context.headers, sessionPrefix) : []),
    ['content-type', 'application/json'],
    ['accept', 'application/graphql-response+json, application/json;q=0.9'],
    ['user-agent', `joinery/${version}`],
  ];
  return withoutRepeats(all).filter(([name]) => !hopByHopHeaders.has(name.toLowerCase()));
}

const notForwarded: ReadonlySet<string> = new Set([...clientHeaders, ...neverForwarded]);

/** Returns the forwarded client headers. Session variables are sent from the session, never from client headers. */
function forwarded(client: Headers, sessionPrefix: string): [string, string][] {
  const headers = endToEnd(client);
  const passed = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || name.startsWith(sessionPrefix) || name.startsWith(':') || notForwarded.has(name)) {
      return [];
    }
    return [[name, headerText(value)]];
  });
  const renamed = forwardedAs.flatMap(([from, to]): [string, string][] => {
    const value = headers[from];
    return value === undefined ? [] : [[to, headerText(value)]];
  });
  return [...passed, ...renamed];
}
