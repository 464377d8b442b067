/** Role and session variables of a request as headers. Pure. */

/** An error in one of the lines. */
export interface SessionProblem {
  readonly problem: string;
}

/** Headers that callers mean as they are written. With the prefix they would have no effect. */
const httpHeaders = new Set([
  'authorization',
  'cookie',
  'content-type',
  'accept',
  'origin',
  'host',
  'user-agent',
  'traceparent',
]);

/**
 * Returns the headers for a role and session variables. `lines` has one variable per line, `user-id: 1` or
 * `X-Service-User-Id: 1`. Names are returned in lower case with the prefix. The default role is admin.
 */
export function sessionHeaders(
  role: string,
  lines: string,
  prefix: string,
): Readonly<Record<string, string>> | SessionProblem {
  const headers: Record<string, string> = { [`${prefix}role`]: role.trim() === '' ? 'admin' : role.trim() };
  for (const [index, line] of lines.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [, name = '', value = ''] = /^\s*([\w-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === '') return { problem: `line ${index + 1} must be a name, a colon and a value, such as user-id: 1` };
    const lower = name.toLowerCase();
    const full = lower.startsWith(prefix) ? lower : `${prefix}${lower}`;
    if (full === `${prefix}role`) return { problem: `line ${index + 1} sets the role, which has a field of its own` };
    if (full === `${prefix}admin-secret`) return { problem: `line ${index + 1} must not be the admin secret` };
    if (httpHeaders.has(lower)) {
      return {
        problem: `line ${index + 1} is an HTTP header and not a session variable: \`${name}\` would be sent as \`${full}\``,
      };
    }
    headers[full] = value;
  }
  return headers;
}

export function isSessionProblem(
  headers: Readonly<Record<string, string>> | SessionProblem,
): headers is SessionProblem {
  return 'problem' in headers;
}
