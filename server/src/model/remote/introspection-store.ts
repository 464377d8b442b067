/** What remote schemas last said of themselves, kept over restarts, for when they cannot be asked. */
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
  /** When the remote schema said so, ISO 8601. */
  readonly readAt: string;
}

export interface IntrospectionStore {
  /** What was read from `origin`. Rejects when the database does. */
  find(name: RemoteSchemaName, origin: string): Promise<StoredIntrospection | undefined>;
  /** Resolves to whether it is something else than what was stored, the first included. */
  save(name: RemoteSchemaName, origin: string, schema: GraphQLSchema): Promise<boolean>;
  /** Forgets all but those of `names`. */
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

/** The same for two schemas that say the same of themselves. */
export function fingerprint(schema: GraphQLSchema): string {
  const known = fingerprints.get(schema);
  if (known !== undefined) return known;
  const made = createHash('sha256')
    .update(JSON.stringify(introspectionOf(schema)))
    .digest('base64');
  fingerprints.set(schema, made);
  return made;
}

/** The same for two definitions that ask the same service in the same way. Throws when a variable is missing. */
export function originOf(definition: RemoteSchemaDefinition, environment: Environment): string {
  const asked = { url: remoteUrl(urlOf(definition), environment), headers: definition.headers ?? [] };
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
}
