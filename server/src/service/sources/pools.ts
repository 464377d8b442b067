/** The databases of the sources: opened when first asked for, closed when no metadata names them any more. */
import type { Metadata } from '@joinery/metadata/metadata';
import { DEFAULT_SOURCE, type SourceName } from '@joinery/metadata/names';
import type { ConnectionInfo, Source } from '@joinery/metadata/schema/sources';
import type { Environment } from '../../base/environment.ts';
import { printJson } from '../../base/json-value.ts';
import type { Database } from '../../postgres/client/pool.ts';
import { withReplicas } from './replicas.ts';
import { type ConnectionSettings, connectionSettings, isolationOf } from './settings.ts';

export interface SourceDatabases {
  /** The primary. Opens no connection. Throws `invalid-configuration` when the settings of the source name no database. */
  of(source: Source): Database;
  /** For the requests of clients: its transactions have the isolation level of the source. Throws as `of` does. */
  writing(source: Source): Database;
  /** For what only reads: the replicas of the source answer, where it has any. Throws as `of` does. */
  reading(source: Source): Database;
  /** Lets go of the databases that `metadata` does not name; requests under way still end on them. */
  retain(metadata: Metadata): void;
  /** Closes all but the one of the default source, which belongs to who gave it. */
  close(): Promise<void>;
}

export interface SourceDatabasesOptions {
  /** The primary of the source `default`, whatever its settings say. */
  readonly standard: Database;
  /** Makes any other database. */
  readonly open: (settings: ConnectionSettings & { readonly isReplica: boolean }, source: SourceName) => Database;
  readonly environment: Environment;
}

/** How long requests of the model before may still use a database that nobody names any more. */
const graceMs = 60_000;

interface Opened {
  readonly database: Database;
  /** Set while nobody names it. */
  leaving: NodeJS.Timeout | undefined;
}

/** The databases of one source as it is written. */
interface Faces {
  readonly writing: Database;
  readonly reading: Database;
}

export function createSourceDatabases(options: SourceDatabasesOptions): SourceDatabases {
  const opened = new Map<string, Opened>();
  const faces = new WeakMap<Source, Faces>();

  function connection(info: ConnectionInfo, source: Source, isReplica = false): Database {
    const key = keyOf(info, source);
    const known = opened.get(key);
    if (known !== undefined) return known.database;
    const settings = connectionSettings(info, source.name, options.environment);
    const database = options.open({ ...settings, isReplica }, source.name);
    opened.set(key, { database, leaving: undefined });
    return database;
  }

  function primary(source: Source): Database {
    return source.name === DEFAULT_SOURCE ? options.standard : connection(infoOf(source), source);
  }

  function facesOf(source: Source): Faces {
    const known = faces.get(source);
    if (known !== undefined) return known;
    const own = primary(source);
    const isolation = isolationOf(infoOf(source));
    const writing: Database =
      isolation === undefined
        ? own
        : { ...own, transaction: (work, more) => own.transaction(work, { isolation, ...more }) };
    const replicas = replicasOf(source).map((info) => connection(info, source, true));
    const made = { writing, reading: replicas.length === 0 ? writing : withReplicas(writing, replicas) };
    faces.set(source, made);
    return made;
  }

  function retire(key: string, one: Opened): void {
    one.leaving ??= setTimeout(() => {
      opened.delete(key);
      void one.database.close();
    }, graceMs).unref();
  }

  return {
    of: primary,
    writing: (source) => facesOf(source).writing,
    reading: (source) => facesOf(source).reading,
    retain: ({ sources }) => {
      const named = new Set(
        sources.flatMap((source) => [infoOf(source), ...replicasOf(source)].map((info) => keyOf(info, source))),
      );
      for (const [key, one] of opened) {
        if (!named.has(key)) retire(key, one);
        else {
          clearTimeout(one.leaving);
          one.leaving = undefined;
        }
      }
    },
    close: async () => {
      const all = [...opened.values()];
      opened.clear();
      for (const { leaving } of all) clearTimeout(leaving);
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
