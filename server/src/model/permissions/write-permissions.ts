/** The stage of resolve for insert, update and delete permissions. */
import type {
  DeletePermission,
  InsertPermission,
  UpdatePermission,
  ValidateInput,
} from '@joinery/metadata/schema/permissions';
import { type Environment, expand, templateProblem, unusableReason, variablesIn } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import { isJsonObject, memberPath, printJson } from '../../base/json-value.ts';
import type { Steps } from '../../base/steps.ts';
import { draftTables } from '../inconsistencies/metadata-entries.ts';
import { encode } from '../predicate/encode.ts';
import type { InputCheck } from '../types/column-type.ts';
import type { Draft, DraftTable } from '../types/draft.ts';
import type { Column, DeleteAccess, InsertAccess, Operand, Presets, UpdateAccess } from '../types/table.ts';
import {
  addPermissions,
  columnNamed,
  invalidPermission,
  permittedColumns,
  type RuleReader,
  ruleReader,
} from './permission-rules.ts';

/** Fills `insertAccess`, `updateAccess` and `deleteAccess` of every table. Equal permissions are one and the same object. */
export function* resolveWritePermissions(draft: Draft): Steps<void> {
  const rules = ruleReader(draft);
  for (const { written, table } of draftTables(draft)) {
    const { insert_permissions, update_permissions, delete_permissions } = written.entry;
    const inserts = once<InsertAccess>(table, draft.input.sessionPrefix);
    yield* addPermissions(draft, written, 'insert', insert_permissions, ({ role, permission }) => {
      const access = inserts(permission, () => resolveInsert(table, permission, rules, draft.input.environment));
      if (!table.hidden) table.insertAccess.set(role, access);
    });
    const updates = once<UpdateAccess>(table, draft.input.sessionPrefix);
    yield* addPermissions(draft, written, 'update', update_permissions, ({ role, permission }) => {
      const access = updates(permission, () => resolveUpdate(table, permission, rules, draft.input.environment));
      if (!table.hidden) table.updateAccess.set(role, access);
    });
    const deletes = once<DeleteAccess>(table, draft.input.sessionPrefix);
    yield* addPermissions(draft, written, 'delete', delete_permissions, ({ role, permission }) => {
      const access = deletes(permission, () => resolveDelete(table, permission, rules, draft.input.environment));
      if (!table.hidden) table.deleteAccess.set(role, access);
    });
  }
}

type Resolve<Access> = (permission: Readonly<Record<string, unknown>>, resolve: () => Access) => Access;

/** Resolves equal permissions to the same object, so that inherited roles can compare them. */
function once<Access>(table: DraftTable, prefix: string): Resolve<Access> {
  const known = new Map<string, Access>();
  const form: Form = { columns: [...table.columnsByName.keys()], prefix };
  const text = JSON.stringify(form);
  return (permission, resolve) => {
    const key = canonicalText(permission, form, text);
    const access = known.get(key) ?? resolve();
    known.set(key, access);
    return access;
  };
}

/** What the canonical form of a permission depends on. */
interface Form {
  /** All columns of the table. */
  readonly columns: readonly string[];
  /** The prefix of session variables, lower case. */
  readonly prefix: string;
}

/** The canonical texts of permissions, each with its form as text. */
const canonicalTexts = new WeakMap<object, { readonly form: string; readonly text: string }>();

function canonicalText(permission: Readonly<Record<string, unknown>>, form: Form, formText: string): string {
  const known = canonicalTexts.get(permission);
  if (known?.form === formText) return known.text;
  const text = printJson(canonical(permission, form));
  canonicalTexts.set(permission, { form: formText, text });
  return text;
}

/** The permission in one form of all that have the same effect: ordered, without defaults, its rules with full operators. */
function canonical(permission: Readonly<Record<string, unknown>>, { columns: all, prefix }: Form): unknown {
  const { columns, set, filter, check, ...rest } = permission;
  const presets = isJsonObject(set) ? set : {};
  const named = Array.isArray(columns) ? columns : all;
  const effective = Object.entries(rest).filter(([, value]) => value !== null && value !== false);
  return ordered({
    ...Object.fromEntries(effective),
    filter: canonicalRule(filter ?? {}, prefix),
    ...(isJsonObject(check) && { check: canonicalRule(check, prefix) }),
    set: Object.fromEntries(Object.entries(presets).map(([name, value]) => [name, canonicalValue(value, prefix)])),
    columns: [...new Set(named)].filter((name) => !Object.hasOwn(presets, String(name))).sort(),
  });
}

/** Members of a rule that are rules or have one, beside `_and`, `_or`, columns and relationships. */
const ofRules: ReadonlySet<string> = new Set(['_not', '_exists', '_where']);

/** A rule with `_and` for `$and`, `{_eq: 1}` for `1`, and the parts of `_and` and `_or` in one order. Values stay as they are. */
function canonicalRule(rule: unknown, prefix: string): unknown {
  if (!isJsonObject(rule)) return canonicalValue(rule, prefix);
  const members = Object.entries(rule).map(([written, value]) => {
    const name = written.replace(/^\$(?=.)/, '_');
    if ((name === '_and' || name === '_or') && Array.isArray(value)) {
      return [name, value.map((part) => printJson(ordered(canonicalRule(part, prefix)))).sort()];
    }
    if (name.startsWith('_') && !ofRules.has(name)) return [name, canonicalValue(value, prefix)];
    const isRule = isJsonObject(value) || Array.isArray(value);
    return [name, isRule ? canonicalRule(value, prefix) : { _eq: canonicalValue(value, prefix) }];
  });
  return Object.fromEntries(members);
}

/** The names of session variables do not depend on case. Other texts do. */
function canonicalValue(value: unknown, prefix: string): unknown {
  if (typeof value !== 'string') return value;
  const lower = value.toLowerCase();
  return lower.startsWith(prefix) ? lower : value;
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, ordered(member)]));
}

function resolveInsert(
  table: DraftTable,
  permission: InsertPermission,
  rules: RuleReader,
  environment: Environment,
): InsertAccess {
  const presets = presetsOf(table, permission.set, rules);
  return {
    columns: givenColumns(permittedColumns(table, permission.columns ?? '*'), presets),
    check: rules.predicate(table, permission.check, '$.check'),
    presets,
    ...shared(permission, environment),
  };
}

function resolveUpdate(
  table: DraftTable,
  permission: UpdatePermission,
  rules: RuleReader,
  environment: Environment,
): UpdateAccess {
  const presets = presetsOf(table, permission.set, rules);
  const { check } = permission;
  return {
    columns: givenColumns(permittedColumns(table, permission.columns), presets),
    filter: rules.predicate(table, permission.filter, '$.filter'),
    check: check === null || check === undefined ? undefined : rules.predicate(table, check, '$.check'),
    presets,
    ...shared(permission, environment),
  };
}

function resolveDelete(
  table: DraftTable,
  permission: DeletePermission,
  rules: RuleReader,
  environment: Environment,
): DeleteAccess {
  return {
    filter: rules.predicate(table, permission.filter, '$.filter'),
    ...shared(permission, environment),
  };
}

function shared(
  { backend_only, validate_input }: Pick<DeletePermission, 'backend_only' | 'validate_input'>,
  environment: Environment,
): Pick<DeleteAccess, 'backendOnly' | 'inputCheck'> {
  const inputCheck = resolveInputCheck(validate_input, environment);
  return { backendOnly: backend_only ?? false, ...(inputCheck && { inputCheck }) };
}

/** The writable columns without a preset. */
function givenColumns(columns: ReadonlySet<Column>, presets: Presets): ReadonlySet<Column> {
  return new Set([...columns].filter((column) => column.writable === 'yes' && !presets.has(column)));
}

function presetsOf(table: DraftTable, written: InsertPermission['set'], rules: RuleReader): Presets {
  const presets = new Map<Column, Operand>();
  for (const [name, value] of Object.entries(written ?? {})) {
    const path = memberPath('$.set', name);
    const column = columnNamed(table, name, path);
    if (column.writable === 'no')
      throw invalidPermission(path, `PostgreSQL always generates the column "${name}"; leave it out`);
    presets.set(column, presetOf(column, value, path, rules));
  }
  return presets;
}

function presetOf({ type }: Column, value: unknown, path: string, rules: RuleReader): Operand {
  try {
    const session = rules.operand(value);
    if (session !== undefined) return session;
    encode(type, value);
  } catch (error) {
    throw error instanceof ServiceError ? error.under(path) : error;
  }
  return { kind: 'constant', value };
}

const DEFAULT_SECONDS = 10;

/** The webhook that validates input. Throws a ServiceError if it cannot be called; its path starts at the permission. */
function resolveInputCheck(
  written: ValidateInput | null | undefined,
  environment: Environment,
): InputCheck | undefined {
  if (written === null || written === undefined) return undefined;
  const { url, headers, forward_client_headers, timeout } = written.definition;
  const path = '$.validate_input.definition';
  const malformed = templateProblem(url);
  if (malformed !== undefined) throw invalidPermission(`${path}.url`, `"${url}" ${malformed}`);
  checkVariables(`${path}.url`, variablesIn(url), environment);
  const address = expand(url, environment);
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw invalidPermission(`${path}.url`, `"${url}" is not an http or https URL`);
  }
  for (const [index, header] of (headers ?? []).entries()) {
    const names = 'value' in header ? variablesIn(header.value) : [header.value_from_env];
    checkVariables(`${path}.headers[${index}]`, names, environment);
  }
  return {
    url,
    headers: headers ?? [],
    forwardClientHeaders: forward_client_headers ?? false,
    timeoutMs: (timeout ?? DEFAULT_SECONDS) * 1_000,
  };
}

function checkVariables(path: string, names: readonly string[], environment: Environment): void {
  for (const name of names) {
    const reason = unusableReason(name, environment);
    if (reason !== undefined) throw invalidPermission(path, reason);
  }
}
