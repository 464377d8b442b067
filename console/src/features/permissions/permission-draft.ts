/** Edits members of a permission and preserves all others. Pure. */
import {
  DeletePermission,
  InsertPermission,
  SelectPermission,
  UpdatePermission,
} from '@joinery/metadata/schema/permissions';
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { byMember, schemaErrors } from '../../ui/form/beside-text/schema-errors.ts';
import { type Operation, ruleMember } from './access.ts';

/** Sets a member. Undefined removes it. */
export function withMember(permission: JsonObject, name: string, value: unknown): JsonObject {
  if (value !== undefined) return { ...permission, [name]: value };
  const { [name]: _gone, ...others } = permission;
  return others;
}

/** Returns the initial permission: no rows and no columns selected. */
export function emptyPermission(operation: Operation): JsonObject {
  return operation === 'delete' ? {} : { columns: [] };
}

const shown: Readonly<Record<Operation, readonly string[]>> = {
  select: [
    ...['filter', 'columns', 'limit', 'allow_aggregations', 'computed_fields'],
    ...['query_root_fields', 'subscription_root_fields'],
  ],
  insert: ['check', 'columns', 'set', 'backend_only', 'validate_input'],
  update: ['filter', 'check', 'columns', 'set', 'backend_only', 'validate_input'],
  delete: ['filter', 'backend_only', 'validate_input'],
};

/** Returns the members that the form does not represent. They are saved unchanged. */
export function preservedMembers(permission: JsonObject, operation: Operation): JsonObject {
  return Object.fromEntries(Object.entries(permission).filter(([name]) => !shown[operation].includes(name)));
}

/** Copies the applicable members of a permission of another role or operation. */
export function copiedTo(operation: Operation, permission: JsonObject, from: Operation): JsonObject {
  if (operation === from) return permission;
  const copied = Object.fromEntries(Object.entries(permission).filter(([name]) => shown[operation].includes(name)));
  const rule = permission[ruleMember(from)];
  const columns = operation === 'delete' ? undefined : (permission.columns ?? (from === 'insert' ? '*' : undefined));
  const { check: _check, ...others } = copied;
  return {
    ...(operation === 'delete' ? {} : { columns: columns ?? [] }),
    ...others,
    ...(rule !== undefined && { [ruleMember(operation)]: rule }),
  };
}

const schemas = {
  select: SelectPermission,
  insert: InsertPermission,
  update: UpdatePermission,
  delete: DeletePermission,
} as const;

const fieldOf = byMember({ limit: 'limit', 'validate_input.definition.url': 'url' });

const messages = {
  limit: 'The limit must be a whole number, or empty for none.',
  url: 'Give the URL of the webhook that checks the input.',
};

/** Returns why the permission cannot be saved, as sentences. Empty when it can. */
export function missingFields(permission: JsonObject, operation: Operation): readonly string[] {
  const missing: string[] = [];
  if (!isJsonObject(permission[ruleMember(operation)])) {
    missing.push(
      operation === 'insert'
        ? 'Say which rows may be inserted.'
        : `Say which rows: ${operation}s of all, or by a rule.`,
    );
  }
  const { columns, set } = permission;
  if (operation === 'select' && Array.isArray(columns) && columns.length === 0 && !hasComputedFields(permission)) {
    missing.push('Choose at least one column.');
  }
  missing.push(...Object.values(schemaErrors(schemas[operation], permission, { fieldOf, messages })));
  if (isJsonObject(set) && Object.hasOwn(set, '')) missing.push('Choose the column of each preset.');
  return missing;
}

function hasComputedFields({ computed_fields }: JsonObject): boolean {
  return Array.isArray(computed_fields) && computed_fields.length > 0;
}

/** Sets the columns. All columns become `*`, which includes future columns. */
export function chooseColumns(permission: JsonObject, chosen: readonly string[] | '*'): JsonObject {
  return withMember(permission, 'columns', chosen);
}

/** Returns the presets as rows of a form. */
export function presetsOf({ set }: JsonObject): readonly (readonly [column: string, value: unknown])[] {
  return isJsonObject(set) ? Object.entries(set) : [];
}

export function withPresets(permission: JsonObject, presets: readonly (readonly [string, unknown])[]): JsonObject {
  return withMember(permission, 'set', presets.length === 0 ? undefined : Object.fromEntries(presets));
}
