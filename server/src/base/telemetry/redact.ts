/** Masks secrets in log lines: known values, and patterns of credentials. */
import { passwordsIn } from '../database-url.ts';
import type { Environment } from '../environment.ts';

/** Shorter values would mask ordinary words. */
const SHORTEST = 6;

/** Names of environment variables with secret values. */
const secretName = /SECRET|PASSWORD|PASSWD|TOKEN|CREDENTIAL|PRIVATE|API_?KEY|ACCESS_?KEY|SIGNING_?KEY/i;

const rules: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s:/@"]*):[^\s@/"]*@/gi, '$1:***@'],
  // A user without a password is a token.
  [/\b(https?:\/\/)[^\s:/?#@"]+@/gi, '$1***@'],
  [/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, '$1 ***'],
  // A JSON Web Token.
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, '***'],
];

/** Returns the secret values of the environment, passwords in URLs included. */
export function secretsIn(environment: Environment): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const inUrl = passwordsIn(value);
    return secretName.test(name) ? [value, ...membersOf(value), ...inUrl] : inUrl;
  });
}

/** Secrets may be written as JSON, such as `["one", "two"]` or `{"type": "HS256", "key": "..."}`. */
function membersOf(value: string): readonly string[] {
  if (!/^[[{]/.test(value)) return [];
  try {
    return stringsIn(JSON.parse(value));
  } catch {
    return [];
  }
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member !== 'string' || /key$|secret|password|token/i.test(name) ? stringsIn(member) : [],
  );
}

/** Returns a function that masks `secrets` and matches of the rules in text, which may be JSON. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const written = secrets
    .filter((secret) => secret.length >= SHORTEST)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const longestFirst = [...new Set(written)].sort((one, other) => other.length - one.length);
  return (text) => {
    let redacted = text;
    for (const secret of longestFirst) redacted = redacted.replaceAll(secret, '***');
    for (const [pattern, mask] of rules) redacted = redacted.replaceAll(pattern, mask);
    return redacted;
  };
}

const secretInUrl = /\b([a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):[^\s@/]*@/gi;

/** In an http URL, a user without a password is a token. */
const tokenInUrl = /\b(https?:\/\/)[^\s:/?#@]+@/gi;

/** Returns `text` with passwords in URLs masked, and users of http URLs without a password. */
export function maskUrls(text: string): string {
  return text.replaceAll(secretInUrl, '$1:***@').replaceAll(tokenInUrl, '$1***@');
}
