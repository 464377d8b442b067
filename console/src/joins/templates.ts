/** First texts of definitions, for each kind of target. Pure. */

export type TargetKind = 'table' | 'function' | 'remote schema' | 'action';

export const targetLabels: Readonly<Record<TargetKind, string>> = {
  table: 'A table',
  function: 'A function that returns rows',
  'remote schema': 'A field of a remote schema',
  action: 'A query action',
};

/** `key` is a field or column that a key may be. */
export function templateFor(kind: TargetKind, key: string): string {
  return JSON.stringify(definitionFor(kind, key), null, 2);
}

function definitionFor(kind: TargetKind, key: string): object {
  const source = 'default';
  switch (kind) {
    case 'table': {
      const table = { schema: 'public', name: 'customer' };
      return { to_source: { source, table, relationship_type: 'object', field_mapping: { [key]: 'id' } } };
    }
    case 'function': {
      const called = { schema: 'public', name: 'orders_of' };
      return { to_source: { source, function: called, relationship_type: 'array', field_mapping: { [key]: 'id' } } };
    }
    case 'remote schema': {
      const remote_field = { field: { arguments: { id: `$${key}` } } };
      return { to_remote_schema: { remote_schema: 'name', lhs_fields: [key], remote_field } };
    }
    case 'action':
      return { to_action: { action: 'name', arguments: { id: `$${key}` } } };
    default:
      return kind satisfies never;
  }
}

/** Which kind a definition is of. */
export function kindOf(definition: object): TargetKind {
  if ('to_action' in definition) return 'action';
  if ('to_remote_schema' in definition) return 'remote schema';
  const target = 'to_source' in definition ? (definition.to_source as object) : {};
  return 'function' in target ? 'function' : 'table';
}
