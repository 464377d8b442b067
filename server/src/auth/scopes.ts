/** The scopes of the tools for developers. */
import type { Session } from './session.ts';

export const mcpScopes = [
  'metadata:read',
  'metadata:write',
  'data:read',
  'data:write',
  'sql:read',
  'sql:write',
  'events:read',
  'events:write',
  'docs:read',
] as const;

export type McpScope = (typeof mcpScopes)[number];

/**
 * Returns the scopes of a caller: those of the settings, and of these only what a token contains. A caller without a token,
 * such as one with the admin secret, has those of the settings.
 */
export function grantedScopes(
  enabled: ReadonlySet<McpScope>,
  { scopes }: Pick<Session, 'scopes'>,
): ReadonlySet<McpScope> {
  return scopes === undefined ? enabled : new Set([...enabled].filter((scope) => scopes.includes(scope)));
}
