/** What no line of the log may show: secrets by where they come from, and what looks like one. */
import { passwordsIn } from '../database-url.ts';
import type { Environment } from '../environment.ts';

/** Shorter ones would mask words that mean nothing. */
const SHORTEST = 6;

/** Variables whose values are secret by their names. */
const secretName = /SECRET|PASSWORD|PASSWD|TOKEN|CREDENTIAL|PRIVATE|API_?KEY|ACCESS_?KEY|SIGNING_?KEY/i;

const rules: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s:/@"]*):[^\s@/"]*@/gi, '$1:***@'],
  // A user without a password is a token.
  [/\b(https?:\/\/)[^\s:/?#@"]+@/gi, '$1***@'],
  [/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, '$1 ***'],
  // A JSON Web Token, wherever it stands.
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, '***'],
];

/** Values that the environment holds under names of secrets, passwords within its URLs among them. */
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
    return textsIn(JSON.parse(value));
  } catch {
    return [];
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member !== 'string' || /key$|secret|password|token/i.test(name) ? textsIn(member) : [],
  );
}

/** Masks `secrets` and what the rules find, in text that may be JSON. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const written = secrets
    .filter((secret) => secret.length >= SHORTEST)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const longestFirst = [...new Set(written)].sort((one, other) => other.length - one.length);
  return (text) => {
    let shown = text;
    for (const secret of longestFirst) shown = shown.replaceAll(secret, '***');
    for (const [pattern, mask] of rules) shown = shown.replaceAll(pattern, mask);
    return shown;
  };
}
