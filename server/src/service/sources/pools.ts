/** The databases of sources: opened on first use, closed when the metadata no longer names them. */
import type { Metadata } from '@joinery/metadata/metadata';
import { DEFAULT_SOURCE, type SourceName } from '@joinery/metadata/names';
import type { ConnectionInfo, Source } from '@joinery/metadata/schema/sources';
import type { Environment } from '../../base/environment.ts';
import { printJson } from '../../base/json-value.ts';
import type { Database } from '../../postgres/client/pool.ts';
import { withReplicas } from './replicas.ts';
import { type ConnectionSettings, connectionSettings, isolationOf } from './settings.ts';

export interface SourceDatabases {
  /** The primary. Opens no connection. Throws `invalid-configuration` for a source without a database. */
  of(source: Source): Database;
  /** The primary with the isolation level of the source, for requests of clients. Throws as `of` does. */
  writing(source: Source): Database;
  /** The replicas of the source, or the primary where it has none. Throws as `of` does. */
  reading(source: Source): Database;
  /** Closes the databases that `metadata` does not name, after a grace period for requests under way. */
  retain(metadata: Metadata): void;
  /** Closes all but `standard`, which the caller owns. */
  close(): Promise<void>;
}

export interface SourceDatabasesOptions {
  /** The primary of the source `default`, regardless of its configuration. */
  readonly standard: Database;
  /** Opens another database. */
  readonly open: (settings: ConnectionSettings & { readonly isReplica: boolean }, source: SourceName) => Database;
  readonly environment: Environment;
}

/** Milliseconds for which requests with an earlier model may use a database that the metadata no longer names. */
const GRACE_MS = 60_000;

interface OpenDatabase {
  readonly database: Database;
  /** Set while the metadata does not name it. */
  closing: NodeJS.Timeout | undefined;
}

/** The databases for writing and reading of one source. */
interface SourcePair {
  readonly writing: Database;
  readonly reading: Database;
}

export function createSourceDatabases(options: SourceDatabasesOptions): SourceDatabases {
  const opened = new Map<string, OpenDatabase>();
  const pairs = new WeakMap<Source, SourcePair>();

  function connection(info: ConnectionInfo, source: Source, isReplica = false): Database {
    const key = keyOf(info, source);
    const known = opened.get(key);
    if (known !== undefined) return known.database;
    const settings = connectionSettings(info, source.name, options.environment);
    const database = options.open({ ...settings, isReplica }, source.name);
    opened.set(key, { database, closing: undefined });
    return database;
  }

  function primary(source: Source): Database {
    return source.name === DEFAULT_SOURCE ? options.standard : connection(infoOf(source), source);
  }

  function pairOf(source: Source): SourcePair {
    const known = pairs.get(source);
    if (known !== undefined) return known;
    const own = primary(source);
    const isolation = isolationOf(infoOf(source));
    const writing: Database =
      isolation === undefined
        ? own
        : { ...own, transaction: (work, more) => own.transaction(work, { isolation, ...more }) };
    const replicas = replicasOf(source).map((info) => connection(info, source, true));
    const pair = { writing, reading: replicas.length === 0 ? writing : withReplicas(writing, replicas) };
    pairs.set(source, pair);
    return pair;
  }

  function retire(key: string, one: OpenDatabase): void {
    one.closing ??= setTimeout(() => {
      opened.delete(key);
      void one.database.close();
    }, GRACE_MS).unref();
  }

  return {
    of: primary,
    writing: (source) => pairOf(source).writing,
    reading: (source) => pairOf(source).reading,
    retain: ({ sources }) => {
      const named = new Set(
        sources.flatMap((source) => [infoOf(source), ...replicasOf(source)].map((info) => keyOf(info, source))),
      );
      for (const [key, one] of opened) {
        if (!named.has(key)) retire(key, one);
        else {
          clearTimeout(one.closing);
          one.closing = undefined;
        }
      }
    },
    close: async () => {
      const all = [...opened.values()];
      opened.clear();
      for (const { closing } of all) clearTimeout(closing);
      await Promise.all(all.map(({ database }) => database.close()));
    },
  };
}

function infoOf({ configuration }: Source): ConnectionInfo {
  return configuration?.connection_info ?? {};
}

function replicasOf({ configuration }: Source): readonly ConnectionInfo[] {
  return configuration?.read_replicas ?? [];
}

function keyOf(info: ConnectionInfo, { name }: Source): string {
  return printJson([name, info]);
}
