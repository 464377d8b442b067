/** The session in which an event runs an operation. */
import type { OperationTarget } from '@joinery/metadata/schema/events/targets';
import type { Session } from '../../auth/session.ts';
import { isJsonObject, parseJson } from '../../base/json-value.ts';
import { depthVariable } from '../../execute/context/session-settings.ts';

/** Names, without their prefix, that a target cannot set. */
const reserved: ReadonlySet<string> = new Set(['role', 'admin-secret', 'access-key', 'event-id', 'event-depth']);
/** The prefix of session variables in metadata of Hasura v2. */
const usualPrefix = 'x-hasura-';

/** Returns the name of a session variable with the prefix of the service, in lower case; or why it cannot be set. */
export function variableName(
  written: string,
  sessionPrefix: string,
): { readonly name: string; readonly reason?: undefined } | { readonly name?: undefined; readonly reason: string } {
  const name = written.toLowerCase();
  const prefix = [sessionPrefix, usualPrefix].find((one) => name.startsWith(one) && name.length > one.length);
  if (prefix === undefined) return { reason: `is no session variable; its name must start with "${sessionPrefix}"` };
  const rest = name.slice(prefix.length);
  return reserved.has(rest) ? { reason: 'is set by the service; leave it out' } : { name: `${sessionPrefix}${rest}` };
}

/** The event that runs an operation. */
interface RunningEvent {
  readonly sessionPrefix: string;
  readonly eventId?: string;
  /** See `Session.eventDepth`. */
  readonly depth?: number;
}

/** Returns the session of the target's role with these session variables and the id of the event. */
export function sessionOfTarget(
  { role }: Pick<OperationTarget, 'role'>,
  variables: readonly (readonly [name: string, value: string])[],
  { sessionPrefix, eventId, depth }: RunningEvent,
): Session {
  const given = new Map<string, string>();
  for (const [written, value] of variables) {
    const { name } = variableName(written, sessionPrefix);
    if (name !== undefined) given.set(name, value);
  }
  const backend = given.get(`${sessionPrefix}use-backend-only-permissions`) === 'true';
  given.set(`${sessionPrefix}role`, role);
  if (eventId !== undefined) given.set(`${sessionPrefix}event-id`, eventId);
  return {
    role,
    variables: given,
    ...(backend && { backend: true as const }),
    ...(depth !== undefined && { eventDepth: depth }),
  };
}

/** Returns the largest depth of changes with these session variables, as JSON strings; 0 for changes that no event made. */
export function depthOf(sessions: readonly string[], sessionPrefix: string): number {
  const depths = sessions.map((text) => {
    const variables = parseJson(text);
    const depth = isJsonObject(variables) ? Number(variables[depthVariable(sessionPrefix)] ?? 0) : 0;
    return Number.isFinite(depth) ? depth : 0;
  });
  return Math.max(0, ...depths);
}
