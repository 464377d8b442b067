/** Relationships to a remote schema and to actions, and from their types to tables: as servers and as metadata. */
import type { Schema } from './schema.ts';
import { qualified } from './sources.ts';

/** The remote schema. */
export const thingsSdl = `
  type Query { thing(n: Int!): Thing }
  type Thing { n: Int! label(suffix: String): String next: Thing several(count: Int!): [Thing!]! }
`;
/** The number without a thing. */
export const NO_THING = 2;

/** The resolver of `thing`. */
export function thingOf(n: number): unknown {
  return n === NO_THING ? null : existingThing(n);
}

function existingThing(n: number): unknown {
  return {
    n,
    label: ({ suffix }: { readonly suffix?: string | null }) => `thing ${n}${suffix ?? ''}`,
    next: () => thingOf(n + 1),
    several: ({ count }: { readonly count: number }) => Array.from({ length: count }, (_, at) => existingThing(n + at)),
  };
}

/** The result of the handler of both actions. */
export function noteOf(n: number | null): unknown {
  return { n, m: n === null ? null : 1 + (n % 2) };
}

const toThing = (key: string) => ({
  name: 'thing',
  definition: {
    to_remote_schema: {
      ...{ remote_schema: 'things', lhs_fields: [key] },
      remote_field: { thing: { arguments: { n: `$${key}` } } },
    },
  },
});

/** Relationships of a table to the remote schema, and to an action that is called for each owner or for many. */
export function tableJoins(inBatches: boolean): readonly unknown[] {
  const to_action = { action: 'note', arguments: { n: '$owner' }, ...(inBatches && { batch: { max_size: 2 } }) };
  return [toThing('owner'), { name: 'note', definition: { to_action } }];
}

/** Returns the members of the metadata for the remote schema and the actions. `url` and `handler` are their addresses. */
export function joinsMetadata({ tables, joined }: Schema, url: string, handler: string): object {
  const table = tables[joined];
  if (table === undefined) throw new RangeError('there is no such table');
  const toRows = (name: string, relationship_type: string, field_mapping: object): object => {
    const to_source = { source: table.source.name, table: qualified(table), relationship_type, field_mapping };
    return { name, definition: { to_source } };
  };
  const key = Object.fromEntries(table.primaryKey.map(({ name }) => [name === 'id' ? 'n' : 'm', name]));
  const near = toRows('near', 'array', { n: 'owner' });
  const fields = ['n', 'm'].map((name) => ({ name, type: 'Int' }));
  const action = (name: string, type: string, output_type: string): object => ({
    name,
    definition: {
      ...{ type: 'query', handler: `${handler}/${name}`, output_type },
      arguments: [{ name: name === 'note' ? 'n' : 'ns', type }],
    },
    permissions: [{ role: 'one' }, { role: 'two' }],
  });
  return {
    remote_schemas: [
      {
        ...{ name: 'things', definition: { url } },
        remote_relationships: [{ type_name: 'Thing', relationships: [near] }],
      },
    ],
    custom_types: {
      objects: [{ name: 'Note', fields, relationships: [near, toRows('row', 'object', key), toThing('n')] }],
    },
    actions: [action('note', 'Int!', 'Note!'), action('notes', '[Int!]!', '[Note!]!')],
  };
}
