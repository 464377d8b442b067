/** Stores the metadata in one row: loads it, replaces it by compare-and-swap, and announces changes to other nodes. */
import { parseStored } from '@joinery/metadata/commands/edit/arguments';
import { EditError } from '@joinery/metadata/commands/edit/edit-error';
import { exportMetadata } from '@joinery/metadata/document/export';
import { withReadableTriggers } from '@joinery/metadata/event-triggers/stored';
import { emptyMetadata, Metadata } from '@joinery/metadata/metadata';
import { ServiceError } from '../../base/errors.ts';
import { parseJson, printJson } from '../../base/json-value.ts';
import type { Database } from '../../postgres/client/pool.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { queryRows, runStatement, type TextRow } from '../../postgres/sql/rows.ts';
import { type Sql, sql, value } from '../../postgres/sql/sql.ts';
import { storedText } from './stored-text.ts';

/** Identifies a version of the row. Two marks are equal if nothing changed in between. */
export interface Mark {
  /** `resource_version`: counts the changes of the metadata. */
  readonly version: number;
  /** Changes with the metadata, and when other nodes have to read databases or remote schemas again. */
  readonly touched: string;
}

export interface Stored extends Mark {
  readonly metadata: Metadata;
}

/** The notification of a change, for the other nodes. */
export interface Announcement extends Mark {
  /** Whether databases and remote schemas have to be read again. */
  readonly world: boolean;
}

/** The channel of notifications; the payload is an Announcement as JSON. */
export const metadataChannel = 'joinery_metadata';

export interface Store {
  /** The database with the schema `joinery`, migrated. */
  readonly database: Database;
  /** Loads the metadata; a first start stores empty metadata. Throws `invalid-configuration` for metadata that it cannot parse. */
  load(): Promise<Stored>;
  mark(): Promise<Mark>;
  /** Keeps other nodes from changing the metadata until the transaction of `query` ends. */
  lock(query: Query): Promise<Mark>;
  /**
   * Replaces the metadata; undefined where it is not that of `mark`. The version alone does not identify it: a failover that loses the
   * last commits lets later changes have their versions.
   */
  swap(query: Query, mark: Mark, metadata: Metadata): Promise<Mark | undefined>;
  /**
   * Changes the mark alone, so that other nodes read databases and remote schemas again. Undefined where the metadata is not that of
   * `mark`.
   */
  touch(query: Query, mark: Mark): Promise<Mark | undefined>;
  /** Notifies the other nodes. A failure is ignored, as nodes poll the mark as well. */
  announce(announcement: Announcement): Promise<void>;
}

const markColumns = sql`resource_version, updated_at::text`;
const selectMark = sql`select ${markColumns} from joinery.metadata where id = 1`;

export function createStore(database: Database): Store {
  return {
    database,
    load: () => load(database),
    mark: async () => presentMark(await queryMark(database.query, selectMark)),
    lock: async (query) => presentMark(await queryMark(query, sql`${selectMark} for update`)),
    swap: async (query, mark, metadata) =>
      queryMark(
        query,
        sql`update joinery.metadata
          set metadata = ${value(await storedText(metadata))}::json, resource_version = resource_version + 1,
            updated_at = clock_timestamp()
          where ${isAt(mark)}
          returning ${markColumns}`,
      ),
    touch: (query, mark) =>
      queryMark(
        query,
        sql`update joinery.metadata set updated_at = clock_timestamp()
          where ${isAt(mark)}
          returning ${markColumns}`,
      ),
    announce: async (announcement) => {
      const notify = sql`select pg_notify(${value(metadataChannel)}, ${value(JSON.stringify(announcement))})`;
      await runStatement(database.query, notify).catch(() => undefined);
    },
  };
}

function isAt({ version, touched }: Mark): Sql {
  return sql`id = 1 and resource_version = ${value(version)} and updated_at::text = ${value(touched)}`;
}

async function load(database: Database): Promise<Stored> {
  const select = sql`select ${markColumns}, metadata from joinery.metadata where id = 1`;
  const [found] = await queryRows(database.query, select, ['resource_version', 'updated_at', 'metadata']);
  if (found !== undefined) return { ...markOf(found), metadata: readMetadata(found.metadata ?? 'null') };
  const text = printJson(exportMetadata(emptyMetadata));
  await runStatement(
    database.query,
    sql`insert into joinery.metadata (id, resource_version, metadata) values (1, 1, ${value(text)}::json)
      on conflict (id) do nothing`,
  );
  return load(database);
}

async function queryMark(query: Query, statement: Sql): Promise<Mark | undefined> {
  const [row] = await queryRows(query, statement, ['resource_version', 'updated_at']);
  return row && markOf(row);
}

function markOf(row: TextRow<'resource_version' | 'updated_at'>): Mark {
  return { version: Number(row.resource_version), touched: row.updated_at ?? '' };
}

function presentMark(mark: Mark | undefined): Mark {
  if (mark !== undefined) return mark;
  throw new ServiceError(
    'unexpected',
    'the row with the metadata is missing in table joinery.metadata; restart the service to begin with empty metadata',
  );
}

function readMetadata(text: string): Metadata {
  try {
    return parseStored(Metadata, withReadableTriggers(parseJson(text)));
  } catch (error) {
    const reason = error instanceof EditError ? `${error.message} at ${error.path}` : String(error);
    throw new ServiceError(
      'invalid-configuration',
      `the stored metadata (table joinery.metadata) cannot be read: ${reason}; it may be of a newer release`,
      { cause: error },
    );
  }
}
