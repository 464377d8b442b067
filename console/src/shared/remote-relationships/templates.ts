/** Templates of definitions for each kind of target, with names of the metadata. Pure. */

export type TargetKind = 'table' | 'function' | 'remote schema' | 'action';

export const targetLabels: Readonly<Record<TargetKind, string>> = {
  table: 'A table',
  function: 'A function that returns rows',
  'remote schema': 'A field of a remote schema',
  action: 'A query action',
};

interface Exported {
  readonly sources?: readonly {
    readonly name: string;
    readonly tables?: readonly { readonly table: unknown }[];
    readonly functions?: readonly { readonly function: unknown }[];
  }[];
  readonly remote_schemas?: readonly { readonly name: string }[];
  readonly actions?: readonly {
    readonly name: string;
    readonly definition: { readonly type?: string; readonly arguments?: readonly { readonly name: string }[] };
  }[];
}

/** Returns a template as JSON text. `key` is a field or column, `exported` the metadata. */
export function templateFor(kind: TargetKind, key: string, exported: unknown): string {
  return JSON.stringify(definitionFor(kind, key, (exported ?? {}) as Exported), null, 2);
}

function definitionFor(kind: TargetKind, key: string, { sources = [], remote_schemas, actions }: Exported): object {
  switch (kind) {
    case 'table': {
      const { name: source = 'default', tables } = sources.find((one) => one.tables?.length) ?? {};
      const table = tables?.[0]?.table ?? { schema: 'public', name: 'table' };
      return { to_source: { source, table, relationship_type: 'object', field_mapping: { [key]: 'id' } } };
    }
    case 'function': {
      const { name: source = 'default', functions } = sources.find((one) => one.functions?.length) ?? {};
      const called = functions?.[0]?.function ?? { schema: 'public', name: 'function' };
      const field_mapping = { [key]: 'argument' };
      return { to_source: { source, function: called, relationship_type: 'array', field_mapping } };
    }
    case 'remote schema': {
      const remote_schema = remote_schemas?.[0]?.name ?? 'name';
      const remote_field = { field: { arguments: { argument: `$${key}` } } };
      return { to_remote_schema: { remote_schema, lhs_fields: [key], remote_field } };
    }
    case 'action': {
      const { name: action = 'name', definition } = actions?.find((one) => one.definition.type === 'query') ?? {};
      const argument = definition?.arguments?.[0]?.name ?? 'argument';
      return { to_action: { action, arguments: { [argument]: `$${key}` } } };
    }
    default:
      return kind satisfies never;
  }
}

/** Returns the target kind of a definition. */
export function kindOf(definition: object): TargetKind {
  if ('to_action' in definition) return 'action';
  if ('to_remote_schema' in definition) return 'remote schema';
  const target = 'to_source' in definition ? (definition.to_source as object) : {};
  return 'function' in target ? 'function' : 'table';
}
