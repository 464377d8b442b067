/** The headers of calls to remote schemas. Configured headers override all others, unlike those of handlers. */
import type { Headers, Session } from '../../auth/session.ts';
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

type Pairs = readonly (readonly [name: string, value: string])[];

interface BuiltHeaders {
  readonly remote: RemoteSchema;
  /** The configured headers. Environment variables can change. */
  readonly configured: Pairs;
  readonly client: Headers;
  readonly sessionPrefix: string;
  readonly version: string;
  readonly pairs: Pairs;
}

/** The last headers of each session, which the calls of a request share. */
const built = new WeakMap<Session, BuiltHeaders>();

/**
 * Returns the headers. Precedence: configured, session, forwarded headers of the client, defaults. Throws
 * `invalid-configuration` for a missing environment variable.
 */
export function remoteHeaders(
  remote: RemoteSchema,
  { session, headers: client, environment, settings }: ExecuteContext,
): Pairs {
  const { sessionPrefix, version } = settings;
  const configured = expandHeaders(remote.headers, environment);
  const known = built.get(session);
  if (
    known?.remote === remote &&
    known.client === client &&
    known.sessionPrefix === sessionPrefix &&
    known.version === version &&
    known.configured.every(([, value], index) => value === configured[index]?.[1])
  ) {
    return known.pairs;
  }
  const all: Pairs = [
    ...configured,
    [`${sessionPrefix}role`, session.role],
    ...[...session.variables].filter(([name]) => name !== `${sessionPrefix}admin-secret`),
    ...(remote.forwardClientHeaders ? forwarded(client, sessionPrefix) : []),
    ['content-type', 'application/json'],
    ['accept', 'application/graphql-response+json, application/json;q=0.9'],
    ['user-agent', `joinery/${version}`],
  ];
  const pairs = withoutRepeats(all).filter(([name]) => !hopByHopHeaders.has(name.toLowerCase()));
  built.set(session, { remote, configured, client, sessionPrefix, version, pairs });
  return pairs;
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
