/** Stores the last introspection of each remote schema, used while it cannot be reached. */
import { createHash } from 'node:crypto';
import type { RemoteSchemaName } from '@joinery/metadata/names';
import type { RemoteSchemaDefinition } from '@joinery/metadata/schema/remote-schemas';
import type { GraphQLSchema } from 'graphql';
import type { Environment } from '../../base/environment.ts';
import { parseJson } from '../../base/json-value.ts';
import type { Database } from '../../postgres/client/pool.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';
import { buildUpstream, introspectionOf, remoteUrl, urlOf } from './introspection.ts';

export interface StoredIntrospection {
  readonly schema: GraphQLSchema;
  /** The time of the introspection, ISO 8601. */
  readonly readAt: string;
}

export interface IntrospectionStore {
  /** The stored introspection of `origin`. Rejects if the database fails. */
  find(name: RemoteSchemaName, origin: string): Promise<StoredIntrospection | undefined>;
  /** Resolves to whether the schema differs from the stored one or is the first. */
  save(name: RemoteSchemaName, origin: string, schema: GraphQLSchema): Promise<boolean>;
  /** Deletes all but those of `names`. */
  retain(names: readonly RemoteSchemaName[]): Promise<void>;
}

const find = fixedStatement(['name', 'origin'], ['introspection', 'read_at'], ({ name, origin }) => {
  return sql`select introspection, to_char(read_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as read_at
    from joinery.remote_introspections where name = ${name} and origin = ${origin}`;
});

const confirm = fixedStatement(['name', 'origin', 'text'], ['name'], ({ name, origin, text }) => {
  return sql`update joinery.remote_introspections set read_at = now()
    where name = ${name} and origin = ${origin} and introspection = ${text} returning name`;
});

const replace = fixedStatement(['name', 'origin', 'text'], [], ({ name, origin, text }) => {
  return sql`insert into joinery.remote_introspections (name, origin, introspection) values (${name}, ${origin}, ${text})
    on conflict (name) do update
    set origin = excluded.origin, introspection = excluded.introspection, read_at = excluded.read_at`;
});

const retain = fixedStatement(['names'], [], ({ names }) => {
  return sql`delete from joinery.remote_introspections where name <> all(${names}::text[])`;
});

export function createIntrospectionStore({ query }: Database): IntrospectionStore {
  return {
    find: async (name, origin) => {
      const row = await find.row(query, { name, origin });
      if (typeof row?.introspection !== 'string') return undefined;
      return { schema: buildUpstream(parseJson(row.introspection)), readAt: row.read_at ?? '' };
    },
    save: async (name, origin, schema) => {
      const inputs = { name, origin, text: JSON.stringify(introspectionOf(schema)) };
      if ((await confirm.row(query, inputs)) !== undefined) return false;
      await replace.run(query, inputs);
      return true;
    },
    retain: async (names) => {
      await retain.run(query, { names });
    },
  };
}

const fingerprints = new WeakMap<GraphQLSchema, string>();

/** A hash of the introspection of a schema. */
export function fingerprint(schema: GraphQLSchema): string {
  const known = fingerprints.get(schema);
  if (known !== undefined) return known;
  const created = createHash('sha256')
    .update(JSON.stringify(introspectionOf(schema)))
    .digest('base64');
  fingerprints.set(schema, created);
  return created;
}

/** A hash of URL and headers of a definition. Throws if a variable is missing. */
export function originOf(definition: RemoteSchemaDefinition, environment: Environment): string {
  const request = { url: remoteUrl(urlOf(definition), environment), headers: definition.headers ?? [] };
  return createHash('sha256').update(JSON.stringify(request)).digest('hex');
}
