/** Stores the last introspection of each remote schema, used while it cannot be reached. */
import { createHash } from 'node:crypto';
import type { RemoteSchemaName } from '@joinery/metadata/names';
import type { RemoteSchemaDefinition } from '@joinery/metadata/schema/remote-schemas';
import type { GraphQLSchema } from 'graphql';
import type { Environment } from '../../base/environment.ts';
import { parseJson } from '../../base/json-value.ts';
import type { Database } from '../../postgres/client/pool.ts';
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

export function createIntrospectionStore(database: Database): IntrospectionStore {
  return {
    find: async (name, origin) => {
      const { rows } = await database.query({
        text: `select introspection, to_char(read_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
          from joinery.remote_introspections where name = $1 and origin = $2`,
        values: [name, origin],
      });
      const [text, readAt] = rows[0] ?? [];
      if (typeof text !== 'string') return undefined;
      return { schema: buildUpstream(parseJson(text)), readAt: readAt ?? '' };
    },
    save: async (name, origin, schema) => {
      const values = [name, origin, JSON.stringify(introspectionOf(schema))];
      const same = await database.query({
        text: `update joinery.remote_introspections set read_at = now()
          where name = $1 and origin = $2 and introspection = $3 returning name`,
        values,
      });
      if (same.rows.length > 0) return false;
      await database.query({
        text: `insert into joinery.remote_introspections (name, origin, introspection) values ($1, $2, $3)
          on conflict (name) do update
          set origin = excluded.origin, introspection = excluded.introspection, read_at = excluded.read_at`,
        values,
      });
      return true;
    },
    retain: async (names) => {
      const text = 'delete from joinery.remote_introspections where name <> all($1::text[])';
      await database.query({ text, values: [names] });
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
