/**
 * The users that may sign in to the console. A rule is an e-mail address, a domain (`@example.com`), a claim with a value
 * (`groups=admins`), or `*`.
 */
import { isJsonObject } from '../../base/json-value.ts';

/** Claims of the ID token, with those of the userinfo endpoint. */
export type Claims = Readonly<Record<string, unknown>>;

/** Whether a rule permits the user of the claims. */
export type AllowedUser = (claims: Claims) => boolean;

/** Returns the rule; undefined if it is malformed. */
export function allowedUser(rule: string): AllowedUser | undefined {
  if (rule === '*') return () => true;
  const [, claim = '', value = ''] = /^([^=\s]+)=(.+)$/.exec(rule) ?? [];
  if (claim !== '') return (claims) => valuesOf(claims, claim).includes(value);
  if (/^@[^@\s*]+$/.test(rule)) return (claims) => verifiedEmail(claims)?.endsWith(rule.toLowerCase()) === true;
  if (/^[^@\s*]+@[^@\s*]+$/.test(rule)) return (claims) => verifiedEmail(claims) === rule.toLowerCase();
  return undefined;
}

/** Returns the first rule that permits the user; undefined if none does. */
export function permittingRule(rules: readonly string[], claims: Claims): string | undefined {
  return rules.find((rule) => allowedUser(rule)?.(claims) === true);
}

/**
 * Returns the e-mail address in lower case, if the provider has verified it. Where users may enter any address, an address
 * that is not verified is no proof of its owner.
 */
export function verifiedEmail({ email, email_verified: verified }: Claims): string | undefined {
  return typeof email === 'string' && (verified === true || verified === 'true') ? email.toLowerCase() : undefined;
}

/** Returns the texts of a claim or of the items of its list. A name that is no claim is a path: `realm_access.roles`. */
function valuesOf(claims: Claims, name: string): readonly string[] {
  const value = Object.hasOwn(claims, name) ? claims[name] : memberAt(claims, name.split('.'));
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((one) => (['string', 'number', 'boolean'].includes(typeof one) ? [String(one)] : []));
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  const [name, ...more] = path;
  if (name === undefined) return value;
  return isJsonObject(value) && Object.hasOwn(value, name) ? memberAt(value[name], more) : undefined;
}
