/** Roles and session variables that occur in the metadata. Pure. */
import { isJsonObject } from '../../api/json.ts';

export interface KnownNames {
  /** All roles except admin, sorted. */
  readonly roles: readonly string[];
  readonly inherited: readonly InheritedRole[];
  /** Names of session variables as written, sorted. */
  readonly variables: readonly string[];
}

/** Collects roles and session variables. `prefix` is the header prefix in lower case. */
export function knownNames(metadata: unknown, prefix: string): KnownNames {
  const roles = new Set<string>();
  const variables = new Map<string, string>();
  walk(metadata, (name, value, inside) => {
    if (typeof value !== 'string') return;
    if (!inside && (name === 'role' || name === 'role_name')) roles.add(value);
    if (isSessionVariable(value, prefix)) variables.set(value.toLowerCase(), value);
  });
  const written = isJsonObject(metadata) && Array.isArray(metadata.inherited_roles) ? metadata.inherited_roles : [];
  const inherited = written as readonly InheritedRole[];
  for (const parent of inherited.flatMap((one) => one.role_set)) roles.add(parent);
  roles.delete('admin');
  const usual = ['user-id', 'role'].map((name) => headerName(prefix, name));
  for (const name of usual) if (!variables.has(name.toLowerCase())) variables.set(name.toLowerCase(), name);
  return { roles: [...roles].sort(), inherited, variables: [...variables.values()].sort() };
}

type Visit = (name: string | undefined, value: unknown, insidePermission: boolean) => void;

/** Members inside of a permission refer to columns, which can be named `role` too. */
function walk(json: unknown, visit: Visit, name?: string, insidePermission = false): void {
  visit(name, json, insidePermission);
  if (Array.isArray(json)) for (const item of json) walk(item, visit, undefined, insidePermission);
  else if (isJsonObject(json)) {
    for (const [key, value] of Object.entries(json)) walk(value, visit, key, insidePermission || key === 'permission');
  }
}

/** Whether a value is a session variable: the prefix in any case, followed by a name. */
export function isSessionVariable(value: unknown, prefix: string): value is string {
  return typeof value === 'string' && value.length > prefix.length && value.toLowerCase().startsWith(prefix);
}

/** Returns `X-Service-User-Id` for `x-service-` and `user-id`. */
export function headerName(prefix: string, name: string): string {
  return `${prefix}${name}`.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}

export interface InheritedRole {
  readonly role_name: string;
  readonly role_set: readonly string[];
}
