/** All live queries and streams of this node: assigns subscribers to cohorts, and limits concurrent statements. */
import type { SourceName } from '@joinery/metadata/names';
import { Cancellation } from '../../base/cancellation.ts';
import { ServiceError, toServiceError } from '../../base/errors.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import { runInSpan, type Trace, untraced } from '../../base/telemetry/trace.ts';
import type { Database } from '../../postgres/client/pool.ts';
import { fromPostgres } from '../../postgres/sql/errors.ts';
import type { ExecuteSettings } from '../context/context.ts';
import type { ChangedTables, Changes } from './changes.ts';
import { type CohortParts, type CohortSettings, LiveCohort, type LiveRun } from './cohort.ts';
import type { ForwardedCohort } from './forwarded-cohort.ts';
import { Forwarding } from './forwarding.ts';
import type { CohortSubscriber } from './item.ts';
import type { LiveTarget, PolledTarget } from './live-target.ts';
import type { PeerItem } from './peer-items.ts';
import type { LivePeers } from './peers.ts';
import { PollClock } from './poll-clock.ts';
import { SourcePosition } from './source-position.ts';
import { type LiveSink, LiveSubscriber } from './subscriber.ts';

export interface LiveQueries {
  /** Starts polling immediately. Returns a function that ends the subscription. */
  subscribe(target: LiveTarget, sink: LiveSink): () => void;
  readonly stats: () => LiveStats;
  /** Stops polling without notifying subscribers. */
  close(): void;
}

export interface LiveStats {
  readonly subscribers: number;
  /** Number of distinct polled statements. */
  readonly cohorts: number;
  /** Number of statements of polls since the start. */
  readonly statements: number;
}

export interface LiveQueriesOptions {
  readonly database: (source: SourceName, readsPrimary?: boolean) => Database;
  /** The database with the schema `joinery`. */
  readonly own?: Database | undefined;
  readonly observe: Observe;
  readonly trace?: Trace;
  /** A statement with a larger result fails. Its batch is then bisected. */
  readonly settings?: Pick<ExecuteSettings, 'maxResultBytes'>;
  readonly live: CohortSettings;
  readonly streams: CohortSettings;
  /** Maximum number of concurrent statements, which leaves connections to requests. */
  readonly concurrency: number;
  /** The current model, which is another object after each change. Subscribers are planned again then. */
  readonly model: () => { readonly version: number };
  /**
   * Whether the server that is polled for a source is always the same one, so that its position shows whether a poll is
   * needed. Without it, each interval polls.
   */
  readonly hasPosition?: ((source: SourceName) => boolean) | undefined;
  /** The changes of this node. */
  readonly changes?: Changes | undefined;
  /** The other processes of the service. One of them polls a live query for all; each polls its own streams. */
  readonly peers?: LivePeers | undefined;
}

/** The cohorts of one source and one kind. */
interface Group {
  readonly source: SourceName | undefined;
  readonly clock: PollClock;
  readonly cohorts: Set<LiveCohort>;
}

export function createLiveQueries(options: LiveQueriesOptions): LiveQueries {
  const cohorts = new Map<string, LiveCohort>();
  const groups = new Map<string, Group>();
  const positions = new Map<SourceName | undefined, SourcePosition>();
  const cohortOf = new Map<LiveSubscriber, LiveCohort | ForwardedCohort>();
  const limited = limitConcurrency(options.concurrency);
  const stopping = new Cancellation();
  let statements = 0;

  const run: LiveRun = (target, lists, span) =>
    limited(async () => {
      statements += 1;
      const { text, source, path, isRepeatable: repeatable, readsPrimary } = target;
      try {
        const database = databaseOf(source, readsPrimary);
        const values = [...lists];
        const query = { text, values, name: database.prepared(text) };
        const maxLength = options.settings?.maxResultBytes;
        return (await database.query(query, { signal: stopping, maxLength, reads: true, repeatable, span })).rows;
      } catch (error) {
        const failure = error instanceof ServiceError ? error : fromPostgres(error, { path, statement: text });
        if (failure.status >= 500) options.observe({ kind: 'failure', where: 'polling a live query', error: failure });
        throw failure;
      }
    });

  const { trace = untraced } = options;
  const traced: CohortParts['traced'] = ({ kind, path }, items, poll) => {
    if (!trace.on) return poll(undefined);
    const attributes = { 'joinery.poll': kind, 'joinery.path': path, 'joinery.subscribers': items };
    return runInSpan(trace.start('poll', { attributes }), poll);
  };

  function databaseOf(source: SourceName | undefined, readsPrimary?: boolean): Database {
    return source === undefined ? ownDatabase(options) : options.database(source, readsPrimary);
  }

  function join(subscriber: LiveSubscriber): void {
    const { target } = subscriber;
    const key = keyOf(target);
    const owner = ownerOf(target, key);
    const cohort =
      forwarding === undefined || owner === undefined
        ? polledCohort(key, target)
        : forwarding.cohort(key, owner, target, refresher);
    cohortOf.set(subscriber, cohort);
    cohort.add(subscriber);
  }

  /** Returns the process that polls the target; undefined: this one. */
  function ownerOf({ kind, readsPrimary }: PolledTarget, key: string): string | undefined {
    // Each stream has its own cursor, so that processes cannot share a poll. Polls of the primary are few.
    return kind === 'stream' || readsPrimary ? undefined : forwarding?.ownerOf(key);
  }

  function polledCohort(key: string, { kind, source, tables }: PolledTarget): LiveCohort {
    const known = cohorts.get(key);
    if (known !== undefined) return known;
    const settings = kind === 'stream' ? options.streams : options.live;
    const group = groupOf(kind, source, settings);
    const cohort = new LiveCohort({
      batchSize: settings.batchSize,
      tables,
      run,
      traced,
      refresh: refresher(() => cohort.subscribers()),
      empty: () => {
        cohorts.delete(key);
        group.cohorts.delete(cohort);
        group.clock.delete(cohort);
        forwarding?.polls(cohorts.size);
      },
    });
    cohorts.set(key, cohort);
    group.cohorts.add(cohort);
    group.clock.add(cohort);
    forwarding?.polls(cohorts.size);
    return cohort;
  }

  /** Returns a function that moves subscribers to the cohorts of their current targets if the model has changed. */
  function refresher(subscribers: () => readonly CohortSubscriber[]): () => void {
    let model = options.model();
    return () => {
      const latest = options.model();
      if (latest === model) return;
      model = latest;
      // An item of another process is moved by that process.
      for (const one of subscribers()) if (one instanceof LiveSubscriber) refresh(one);
    };
  }

  /** Moves the subscribers whose owner has changed. They keep their marks, so that unchanged results are not sent again. */
  function moveAll(): void {
    for (const [subscriber, cohort] of [...cohortOf]) {
      const { target } = subscriber;
      if (ownerOf(target, keyOf(target)) === (cohort instanceof LiveCohort ? undefined : cohort.owner)) continue;
      cohort.remove(subscriber);
      join(subscriber);
    }
  }

  function openForwarding(peers: LivePeers): Forwarding {
    const polled = new Map<PeerItem, LiveCohort>();
    return new Forwarding({
      peers,
      intervalMs: options.live.intervalMs,
      version: () => options.model().version,
      join: (item) => {
        const { target } = item;
        // Throws for a source that this process does not have.
        databaseOf(target.source);
        const cohort = polledCohort(keyOf(target), target);
        polled.set(item, cohort);
        cohort.add(item);
      },
      leave: (item) => {
        polled.get(item)?.remove(item);
        polled.delete(item);
      },
      recheck: (item) => polled.get(item)?.recheck(item),
      move: moveAll,
      wake,
    });
  }

  function groupOf(kind: LiveTarget['kind'], source: SourceName | undefined, { intervalMs }: CohortSettings): Group {
    const key = `${kind} ${source}`;
    const known = groups.get(key);
    if (known !== undefined) return known;
    const group = { source, clock: new PollClock(intervalMs, positionOf(source)), cohorts: new Set<LiveCohort>() };
    groups.set(key, group);
    return group;
  }

  function positionOf(source: SourceName | undefined): SourcePosition | undefined {
    if (options.hasPosition === undefined) return undefined;
    const known = positions.get(source);
    if (known !== undefined) return known;
    const { hasPosition } = options;
    const position = new SourcePosition(
      () => (source === undefined || hasPosition(source) ? databaseOf(source) : undefined),
      stopping,
    );
    positions.set(source, position);
    return position;
  }

  function wake(source: SourceName | undefined, tables: ChangedTables): void {
    for (const group of groups.values()) {
      if (source !== undefined && group.source !== source) continue;
      if (tables === undefined) group.clock.soon();
      else for (const cohort of group.cohorts) if (reads(cohort, tables)) cohort.wake();
    }
  }

  const forwarding = options.peers && openForwarding(options.peers);
  options.changes?.listen((source, tables) => {
    wake(source, tables);
    forwarding?.report(source, tables);
  });

  function refresh(subscriber: LiveSubscriber): void {
    try {
      const target = subscriber.sink.target();
      if (target === subscriber.target) return;
      cohortOf.get(subscriber)?.remove(subscriber);
      // A stream continues after its last sent row.
      subscriber.target = target;
      join(subscriber);
    } catch (error) {
      leave(subscriber);
      subscriber.sink.ended(toServiceError(error));
    }
  }

  function leave(subscriber: LiveSubscriber): void {
    subscriber.leave();
    const cohort = cohortOf.get(subscriber);
    cohortOf.delete(subscriber);
    cohort?.remove(subscriber);
  }

  return {
    subscribe: (target, sink) => {
      const subscriber = new LiveSubscriber(target, sink);
      join(subscriber);
      // The model may have changed since the operation was planned.
      refresh(subscriber);
      return () => leave(subscriber);
    },
    stats: () => ({ subscribers: cohortOf.size, cohorts: cohorts.size, statements }),
    close: () => {
      options.changes?.listen(undefined);
      forwarding?.close();
      stopping.abort();
      for (const cohort of cohorts.values()) cohort.stop();
      for (const subscriber of [...cohortOf.keys()]) leave(subscriber);
    },
  };
}

function keyOf({ kind, source, text, readsPrimary }: PolledTarget): string {
  return `${kind} ${source} ${readsPrimary ? 'primary ' : ''}${text}`;
}

function reads({ tables }: LiveCohort, changed: NonNullable<ChangedTables>): boolean {
  return tables?.some((name) => changed.has(name)) ?? false;
}

function ownDatabase({ own }: LiveQueriesOptions): Database {
  if (own === undefined) throw new TypeError('there is no database of the service itself');
  return own;
}

/** Returns a function that runs at most `max` tasks concurrently, in order of arrival. */
function limitConcurrency(max: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
