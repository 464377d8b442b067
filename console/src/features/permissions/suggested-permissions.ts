/** Permissions that are suggested for a table by the names, types and foreign keys of its columns. Pure. */
import type { ColumnInfo, TableInfo } from '@joinery/metadata/api/sources/catalog';
import type { JsonObject } from '../../api/json.ts';
import { headerName } from '../../shared/roles/known-names.ts';
import type { Operation } from './access.ts';

export interface SuggestedPermission {
  /** Such as `Own rows`. Unique together with `condition`. */
  readonly label: string;
  /** The rule as text. Empty when it applies to all rows. */
  readonly condition: string;
  readonly permission: JsonObject;
}

export interface Suggestions {
  readonly permissions: readonly SuggestedPermission[];
  /** Columns that are not selected because their names are those of secrets. */
  readonly secrets: readonly string[];
}

/** Names and values of session variables. */
export interface SessionNames {
  /** Prefix of session variables in lower case. */
  readonly prefix: string;
  /** Session variables of the metadata, as written. */
  readonly variables: readonly string[];
}

/** Returns the suggestions for a new permission: own rows, rows of the tenant, all rows. */
export function suggestedPermissions(info: TableInfo, operation: Operation, session: SessionNames): Suggestions {
  const secrets = info.columns.filter(({ name }) => isSecret(name)).map(({ name }) => name);
  const by = (label: string, column: string, variable: string): SuggestedPermission => ({
    label,
    condition: `${column} equals ${variable}`,
    permission: permissionOf(info, operation, secrets, { column, variable }),
  });
  const user = variableNamed('user-id', session);
  return {
    permissions: [
      ...ownerColumns(info).map((column) => by('Own rows', column, user)),
      ...tenantColumns(info).map((column) =>
        by('Rows of the tenant', column, variableNamed(wordsOf(column).join('-'), session)),
      ),
      { label: 'All rows', condition: '', permission: permissionOf(info, operation, secrets, undefined) },
    ],
    secrets: operation === 'delete' ? [] : secrets,
  };
}

interface Condition {
  readonly column: string;
  readonly variable: string;
}

function permissionOf(
  info: TableInfo,
  operation: Operation,
  secrets: readonly string[],
  condition: Condition | undefined,
): JsonObject {
  const rule = condition === undefined ? {} : { [condition.column]: { _eq: condition.variable } };
  const listed = info.columns.filter(({ name }) => !secrets.includes(name));
  const names = (columns: readonly ColumnInfo[]): string[] => columns.map(({ name }) => name);
  // The column of the rule is not written by the role: its rows stay its own.
  const writable = listed.filter(({ name, writable: can }) => can && name !== condition?.column);
  const key = info.primary_key ?? [];
  switch (operation) {
    case 'select':
      return { columns: names(listed), filter: rule };
    case 'insert':
      return {
        columns: names(writable.filter(({ identity }) => identity === null)),
        check: rule,
        ...(condition !== undefined && { set: { [condition.column]: condition.variable } }),
      };
    case 'update':
      return { columns: names(writable.filter(({ name }) => !key.includes(name))), filter: rule, check: rule };
    case 'delete':
      return { filter: rule };
    default:
      return operation satisfies never;
  }
}

/** Types of keys: whole numbers, texts and UUIDs. */
const keyTypes = new Set(['int2', 'int4', 'int8', 'text', 'varchar', 'bpchar', 'citext', 'uuid']);

const people = new Set(['user', 'customer', 'member', 'person', 'profile', 'author', 'employee']);
const ownerNames = new Set(['owner', 'creator', 'created by', 'uid']);
const tenants = new Set(['tenant', 'organization', 'organisation', 'org', 'workspace', 'company', 'team']);

function ownerColumns(info: TableInfo): readonly string[] {
  const key = info.primary_key ?? [];
  const isTableOfPeople = people.has(singular(info.table.name));
  return keyColumns(info).filter((name) => {
    if (isTableOfPeople) return key.length === 1 && key[0] === name;
    const subject = subjectOf(name);
    return people.has(subject) || ownerNames.has(subject) || people.has(singular(targetOf(info, name) ?? ''));
  });
}

function tenantColumns(info: TableInfo): readonly string[] {
  return keyColumns(info).filter((name) => wordsOf(name).length > 1 && tenants.has(subjectOf(name)));
}

function keyColumns(info: TableInfo): readonly string[] {
  return info.columns.filter(({ type, base_type: base }) => keyTypes.has(base ?? type)).map(({ name }) => name);
}

/** Returns the table that a column references alone. */
function targetOf({ foreign_keys: keys }: TableInfo, column: string): string | undefined {
  return keys.find(({ columns }) => Object.keys(columns).join() === column)?.table.name;
}

/** Returns `user` for `user_id`, `userId` and `user_uuid`. */
function subjectOf(name: string): string {
  const words = wordsOf(name);
  const isKey = words.length > 1 && ['id', 'uuid'].includes(words.at(-1) ?? '');
  return (isKey ? words.slice(0, -1) : words).join(' ');
}

const irregular: Readonly<Record<string, string>> = { people: 'person', companies: 'company' };

function singular(table: string): string {
  const name = wordsOf(table).join(' ');
  return irregular[name] ?? name.replace(/s$/, '');
}

/** Words of names of columns with secrets. */
const secretWords = ['password', 'passwd', 'passphrase', 'secret', 'token', 'hash', 'salt', 'otp', 'apikey'];
const secretPairs = ['api key', 'private key', 'access key'];

function isSecret(name: string): boolean {
  const words = wordsOf(name);
  return words.some((word) => secretWords.includes(word)) || secretPairs.some((pair) => words.join(' ').includes(pair));
}

/** Returns the words of a name in lower case: `user`, `id` for `userId` and `user_id`. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** Returns a session variable as the metadata writes it. */
function variableNamed(name: string, { prefix, variables }: SessionNames): string {
  const wanted = headerName(prefix, name);
  return variables.find((one) => one.toLowerCase() === wanted.toLowerCase()) ?? wanted;
}
