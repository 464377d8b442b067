/** The databases of the sources, by name: opened when first asked for, closed when no metadata names them any more. */
import type { Metadata } from '@joinery/metadata/metadata';
import { DEFAULT_SOURCE, type SourceName } from '@joinery/metadata/names';
import type { Source } from '@joinery/metadata/tables';
import { type Environment, variable } from '../base/environment.ts';
import { ServiceError } from '../base/errors.ts';
import type { Database } from '../postgres/pool.ts';

export interface SourceDatabases {
  /** Opens no connection. Throws `invalid-configuration` when the settings of the source name no database. */
  of(source: Source): Database;
  /** Lets go of the databases of sources that `metadata` does not name; requests under way still end on them. */
  retain(metadata: Metadata): void;
  /** Closes all but the one of the default source, which belongs to who gave it. */
  close(): Promise<void>;
}

export interface SourceDatabasesOptions {
  /** The database of the source `default`, whatever its settings say. */
  readonly standard: Database;
  /** Makes the database of another source. */
  readonly open: (url: string, source: SourceName) => Database;
  readonly environment: Environment;
}

/** How long requests of the model before may still use a database that nobody names any more. */
const graceMs = 60_000;

interface Opened {
  readonly url: string;
  readonly database: Database;
}

export function createSourceDatabases(options: SourceDatabasesOptions): SourceDatabases {
  const opened = new Map<SourceName, Opened>();
  const leaving = new Map<Database, NodeJS.Timeout>();

  function retire({ database }: Opened): void {
    const timer = setTimeout(() => {
      leaving.delete(database);
      void database.close();
    }, graceMs);
    timer.unref();
    leaving.set(database, timer);
  }

  return {
    of: (source) => {
      if (source.name === DEFAULT_SOURCE) return options.standard;
      const url = urlOf(source, options.environment);
      const known = opened.get(source.name);
      if (known?.url === url) return known.database;
      if (known !== undefined) retire(known);
      const database = options.open(url, source.name);
      opened.set(source.name, { url, database });
      return database;
    },
    retain: (metadata) => {
      const named = new Set(metadata.sources.map((source) => source.name));
      for (const [name, one] of opened) {
        if (named.has(name)) continue;
        opened.delete(name);
        retire(one);
      }
    },
    close: async () => {
      for (const timer of leaving.values()) clearTimeout(timer);
      const all = [...leaving.keys(), ...[...opened.values()].map((one) => one.database)];
      leaving.clear();
      opened.clear();
      await Promise.all(all.map((database) => database.close()));
    },
  };
}

/** Of the written settings, only the address is read. */
interface Configuration {
  readonly connection_info?: { readonly database_url?: string | { readonly from_env?: string } };
}

function urlOf(source: Source, environment: Environment): string {
  const written = (source.configuration as Configuration | undefined)?.connection_info?.database_url;
  if (typeof written === 'string') return written;
  if (typeof written?.from_env === 'string') return variable(written.from_env, environment);
  throw new ServiceError(
    'invalid-configuration',
    `source "${source.name}" names no database: give configuration.connection_info.database_url as a URL or as { from_env }`,
  );
}
