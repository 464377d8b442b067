/** Describes the target of a remote relationship. Pure. */
import { isJsonObject } from '../../api/json.ts';

interface Target {
  readonly schema: string;
  readonly name: string;
}

/** The `definition` of a remote relationship in the metadata. */
export interface RemoteRelationshipDefinition {
  readonly to_source?: {
    readonly source: string;
    readonly table?: Target | string | undefined;
    readonly function?: Target | string | undefined;
    readonly relationship_type: 'object' | 'array';
    readonly field_mapping: Readonly<Record<string, string>>;
  };
  readonly to_remote_schema?: {
    readonly remote_schema: string;
    readonly lhs_fields: readonly string[];
    readonly remote_field: unknown;
  };
  readonly to_action?: {
    readonly action: string;
    readonly arguments?: Readonly<Record<string, unknown>> | undefined;
    readonly batch?: { readonly max_size?: number | undefined } | null | undefined;
  };
}

export interface RemoteRelationshipText {
  /** Kind of the relationship and its target: `object of a table`. */
  readonly kind: string;
  /** One line per pair of keys: `Placed.customerId → default.public.customer.id`. */
  readonly lines: readonly string[];
}

/** Describes a definition. `owner` is the type of the keys. */
export function remoteRelationshipText(
  owner: string,
  { to_source, to_remote_schema, to_action }: RemoteRelationshipDefinition,
): RemoteRelationshipText {
  if (to_source !== undefined) {
    const { source, table, function: called, relationship_type: shape, field_mapping: mapping } = to_source;
    const target = nameOf(table ?? called);
    const end = (column: string) => (called === undefined ? `.${column}` : `(${column})`);
    return {
      kind: `${shape} of a ${called === undefined ? 'table' : 'function'}`,
      lines: Object.entries(mapping).map(([key, column]) => `${owner}.${key} → ${source}.${target}${end(column)}`),
    };
  }
  if (to_remote_schema !== undefined) {
    const { remote_schema, remote_field } = to_remote_schema;
    return { kind: 'field of a remote schema', lines: [`${owner} → ${remote_schema}: ${remoteText(remote_field)}`] };
  }
  if (to_action !== undefined) {
    const { action, arguments: given = {}, batch } = to_action;
    const many = batch === undefined || batch === null ? '' : `, ${batch.max_size ?? 100} at a time`;
    return { kind: 'query action', lines: [`${owner} → ${action}${argumentsText(given)}${many}`] };
  }
  return { kind: 'unknown', lines: [JSON.stringify({ to_source, to_remote_schema, to_action })] };
}

function nameOf(target: Target | string | undefined): string {
  if (typeof target === 'string') return `public.${target}`;
  return target === undefined ? '' : `${target.schema}.${target.name}`;
}

function remoteText(field: unknown): string {
  if (!isJsonObject(field)) return '';
  return Object.entries(field)
    .map(([name, call]) => {
      const { arguments: given, field: inner } = isJsonObject(call) ? call : {};
      return `${name}${isJsonObject(given) ? argumentsText(given) : ''}${inner === undefined ? '' : ` { ${remoteText(inner)} }`}`;
    })
    .join(' ');
}

function argumentsText(given: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(given).map(([name, value]) => `${name}: ${valueText(value)}`);
  return parts.length === 0 ? '' : `(${parts.join(', ')})`;
}

/** Strings that start with `$` name a key. */
function valueText(value: unknown): string {
  if (typeof value === 'string' && value.startsWith('$')) return value;
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (isJsonObject(value)) return argumentsText(value);
  return JSON.stringify(value);
}
