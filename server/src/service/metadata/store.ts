/** The metadata in its one row: load it, replace it when nobody else has, and notice that somebody has. */
import { parseStored } from '@joinery/metadata/commands/edit/arguments';
import { EditError } from '@joinery/metadata/commands/edit/edit-error';
import { exportMetadata } from '@joinery/metadata/document/export';
import { emptyMetadata, Metadata } from '@joinery/metadata/metadata';
import { ServiceError } from '../../base/errors.ts';
import { parseJson, printJson } from '../../base/json-value.ts';
import type { Database, Query } from '../../postgres/client/pool.ts';
import { storedText } from './stored-text.ts';

/** Where the row stands. Two marks are equal when nothing has happened in between. */
export interface Mark {
  /** `resource_version`: counts the changes of the metadata. */
  readonly version: number;
  /** Changes with the metadata, and when the databases or remote schemas have to be read again. */
  readonly touched: string;
}

export interface Stored extends Mark {
  readonly metadata: Metadata;
}

/** What nodes tell each other. */
export interface Announcement extends Mark {
  /** Whether databases and remote schemas have to be read again. */
  readonly world: boolean;
}

/** The channel on which nodes tell each other; the payload is an Announcement as JSON. */
export const metadataChannel = 'joinery_metadata';

export interface Store {
  /** Holds the schema `joinery`, migrated. */
  readonly database: Database;
  /** What is stored; a first start stores the empty metadata. Throws `invalid-configuration` when it cannot be read. */
  load(): Promise<Stored>;
  mark(): Promise<Mark>;
  /** Keeps other nodes from changing the metadata until the transaction of `query` ends. */
  lock(query: Query): Promise<Mark>;
  /** Replaces the metadata of `version` by the next; undefined when there is a newer one already. */
  swap(query: Query, version: number, metadata: Metadata): Promise<Mark | undefined>;
  /**
   * Says that the databases or remote schemas have to be read again, the metadata being as it was. Undefined when the
   * metadata is no longer that of `version`.
   */
  touch(query: Query, version: number): Promise<Mark | undefined>;
  /** Tells the other nodes. A database without NOTIFY is no failure: nodes ask for the mark as well. */
  announce(announcement: Announcement): Promise<void>;
}

const markColumns = 'resource_version, updated_at::text';

export function createStore(database: Database): Store {
  return {
    database,
    load: () => load(database),
    mark: async () => {
      const { rows } = await database.query({
        text: `select ${markColumns} from joinery.metadata where id = 1`,
        values: [],
      });
      return readMark(rows[0]);
    },
    lock: async (query) => {
      const { rows } = await query({
        text: `select ${markColumns} from joinery.metadata where id = 1 for update`,
        values: [],
      });
      return readMark(rows[0]);
    },
    swap: async (query, version, metadata) => {
      const { rows } = await query({
        text: `update joinery.metadata
          set metadata = $1::json, resource_version = resource_version + 1, updated_at = clock_timestamp()
          where id = 1 and resource_version = $2
          returning ${markColumns}`,
        values: [await storedText(metadata), version],
      });
      return rows[0] === undefined ? undefined : readMark(rows[0]);
    },
    touch: async (query, version) => {
      const { rows } = await query({
        text: `update joinery.metadata set updated_at = clock_timestamp()
          where id = 1 and resource_version = $1
          returning ${markColumns}`,
        values: [version],
      });
      return rows[0] === undefined ? undefined : readMark(rows[0]);
    },
    announce: async (announcement) => {
      const values = [metadataChannel, JSON.stringify(announcement)];
      await database.query({ text: 'select pg_notify($1, $2)', values }).catch(() => undefined);
    },
  };
}

async function load(database: Database): Promise<Stored> {
  const text = `select ${markColumns}, metadata from joinery.metadata where id = 1`;
  const found = (await database.query({ text, values: [] })).rows[0];
  if (found !== undefined) return { ...readMark(found), metadata: readMetadata(found[2] ?? 'null') };
  await database.query({
    text: `insert into joinery.metadata (id, resource_version, metadata) values (1, 1, $1::json)
      on conflict (id) do nothing`,
    values: [printJson(exportMetadata(emptyMetadata))],
  });
  return load(database);
}

function readMark(row: readonly (string | null)[] | undefined): Mark {
  if (row === undefined) {
    throw new ServiceError(
      'unexpected',
      'the row with the metadata is gone from table joinery.metadata; restart the service to begin with empty metadata',
    );
  }
  return { version: Number(row[0]), touched: row[1] ?? '' };
}

function readMetadata(text: string): Metadata {
  try {
    return parseStored(Metadata, parseJson(text));
  } catch (error) {
    const reason = error instanceof EditError ? `${error.message} at ${error.path}` : String(error);
    throw new ServiceError(
      'invalid-configuration',
      `the stored metadata (table joinery.metadata) cannot be read: ${reason}; it may be of a newer release`,
      { cause: error },
    );
  }
}
