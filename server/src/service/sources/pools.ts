/** The databases of sources: opened on first use, closed when the metadata no longer names them. */
import type { Metadata } from '@joinery/metadata/metadata';
import { DEFAULT_SOURCE, type SourceName } from '@joinery/metadata/names';
import type { ConnectionInfo, ReadReplica, Source } from '@joinery/metadata/schema/sources';
import type { Environment } from '../../base/environment.ts';
import { printJson } from '../../base/json-value.ts';
import { type Observe, silent } from '../../base/telemetry/observe.ts';
import { targetOf } from '../../postgres/client/connection-failure.ts';
import type { Database } from '../../postgres/client/pool.ts';
import { type LagMonitor, type MonitoredReplica, type ReplicaState, startLagMonitor } from './lag-monitor.ts';
import { createReplayCheck, sharedReading } from './replay-check.ts';
import { type ReplicatedDatabase, withReplicas } from './replicas.ts';
import { type ConnectionSettings, connectionSettings, isolationOf } from './settings.ts';
import { readInserted, type WalPosition } from './wal-position.ts';

export interface SourceDatabases {
  /** The primary. Opens no connection. Throws `invalid-configuration` for a source without a database. */
  of(source: Source): Database;
  /** The primary with the isolation level of the source, for requests of clients. Throws as `of` does. */
  writing(source: Source): Database;
  /** The replicas of the source, or the primary where it has none. Throws as `of` does. */
  reading(source: Source): Database;
  /** The replicas that have replayed the position, or the primary. Throws as `of` does. */
  readingSince(source: Source, position: WalPosition): Database;
  /**
   * A position behind all transactions that were committed before the call; undefined where it cannot be read. The source has
   * replicas.
   */
  position(source: Source): Promise<WalPosition | undefined>;
  /** The state of the replicas whose lag is measured. */
  replicas(): readonly (readonly [SourceName, ReplicaState])[];
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
  readonly observe?: Observe;
}

/** Milliseconds for which requests with an earlier model may use a database that the metadata no longer names. */
const GRACE_MS = 60_000;

interface OpenDatabase {
  readonly database: Database;
  /** Set while the metadata does not name it. */
  closing: NodeJS.Timeout | undefined;
}

interface Monitored {
  readonly source: SourceName;
  readonly monitor: LagMonitor;
}

/** The databases for writing and reading of one source. */
interface SourcePair {
  readonly writing: Database;
  /** Undefined for a source without replicas. */
  readonly replicated: ReplicatedDatabase | undefined;
  readonly position: () => Promise<WalPosition>;
}

export function createSourceDatabases(options: SourceDatabasesOptions): SourceDatabases {
  const opened = new Map<string, OpenDatabase>();
  const pairs = new WeakMap<Source, SourcePair>();
  /** By `monitorKey`. */
  const monitors = new Map<string, Monitored>();

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
    const pair = {
      writing,
      replicated: replicatedOf(source, writing),
      position: sharedReading(() => readInserted(own)),
    };
    pairs.set(source, pair);
    return pair;
  }

  function replicatedOf(source: Source, primaryOfSource: Database): ReplicatedDatabase | undefined {
    const replicas = replicasOf(source).map((info) => ({
      database: connection(info, source, true),
      name: nameOf(info, source, options.environment),
      maxLagMs: info.max_lag == null ? undefined : info.max_lag * 1000,
    }));
    if (replicas.length === 0) return undefined;
    const monitor = monitorOf(source, primaryOfSource, replicas);
    return withReplicas(
      primaryOfSource,
      replicas.map((replica, index) => ({
        database: replica.database,
        isFresh: () => monitor === undefined || monitor.isFresh(index),
        hasReplayed: createReplayCheck(replica.database),
      })),
    );
  }

  function monitorOf(
    source: Source,
    primaryOfSource: Database,
    replicas: readonly MonitoredReplica[],
  ): LagMonitor | undefined {
    if (replicas.every(({ maxLagMs }) => maxLagMs === undefined)) return undefined;
    const key = monitorKey(source);
    const known = monitors.get(key);
    if (known !== undefined) return known.monitor;
    const { name } = source;
    const monitor = startLagMonitor({
      source: name,
      primary: primaryOfSource,
      replicas,
      observe: options.observe ?? silent,
    });
    monitors.set(key, { source: name, monitor });
    return monitor;
  }

  function retainMonitors(keys: ReadonlySet<string>): void {
    for (const [key, { monitor }] of monitors) {
      if (keys.has(key)) continue;
      monitor.stop();
      monitors.delete(key);
    }
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
    reading: (source) => {
      const { writing, replicated } = pairOf(source);
      return replicated?.database ?? writing;
    },
    readingSince: (source, position) => {
      const { writing, replicated } = pairOf(source);
      return replicated?.since(position) ?? writing;
    },
    position: async (source) => {
      try {
        return await pairOf(source).position();
      } catch (error) {
        options.observe?.({ kind: 'failure', where: `reading the position of source "${source.name}"`, error });
        return undefined;
      }
    },
    replicas: () =>
      [...monitors.values()].flatMap(({ source, monitor }) =>
        monitor.states().map((state) => [source, state] as const),
      ),
    retain: ({ sources }) => {
      retainMonitors(new Set(sources.map(monitorKey)));
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
      retainMonitors(new Set());
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

function replicasOf({ configuration }: Source): readonly ReadReplica[] {
  return configuration?.read_replicas ?? [];
}

/** Whether the service reads positions of the source for its clients. */
export function hasReplicas(source: Source): boolean {
  return replicasOf(source).length > 0;
}

/** The lag does not matter to the connections. */
function keyOf({ max_lag: _maxLag, ...info }: ReadReplica, { name }: Source): string {
  return printJson([name, info]);
}

function monitorKey(source: Source): string {
  return printJson([source.name, infoOf(source), replicasOf(source)]);
}

/** Returns the hosts and ports of a replica, for the log and metrics. */
function nameOf(info: ReadReplica, { name }: Source, environment: Environment): string {
  const { host, port, others } = targetOf(connectionSettings(info, name, environment).url);
  return [`${host}:${port}`, ...others].join(', ');
}
