/** All live queries and streams of this node: assigns subscribers to cohorts, and limits concurrent statements. */
import type { SourceName } from '@joinery/metadata/names';
import { Cancellation } from '../../base/cancellation.ts';
import { ServiceError, toServiceError } from '../../base/errors.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import { runInSpan, type Trace, untraced } from '../../base/telemetry/trace.ts';
import type { Database } from '../../postgres/client/pool.ts';
import { fromPostgres } from '../../postgres/sql/errors.ts';
import type { ExecuteSettings } from '../context/context.ts';
import { type CohortParts, type CohortSettings, LiveCohort, type LiveRun } from './cohort.ts';
import type { LiveTarget } from './live-target.ts';
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
  /** Number of statements run since the start. */
  readonly statements: number;
}

export interface LiveQueriesOptions {
  readonly database: (source: SourceName) => Database;
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
}

export function createLiveQueries(options: LiveQueriesOptions): LiveQueries {
  const cohorts = new Map<string, LiveCohort>();
  const cohortOf = new Map<LiveSubscriber, LiveCohort>();
  const limited = limitConcurrency(options.concurrency);
  const stopping = new Cancellation();
  let statements = 0;

  const run: LiveRun = (target, lists, span) =>
    limited(async () => {
      statements += 1;
      const { text, source, path } = target;
      try {
        const database = source === undefined ? ownDatabase(options) : options.database(source);
        const values = [...lists];
        const query = { text, values, name: database.prepared(text) };
        const maxLength = options.settings?.maxResultBytes;
        return (await database.query(query, { signal: stopping, maxLength, reads: true, span })).rows;
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

  function join(subscriber: LiveSubscriber): void {
    const { kind, source, text } = subscriber.target;
    const key = `${kind} ${source} ${text}`;
    const cohort = cohorts.get(key) ?? start(key, kind === 'stream' ? options.streams : options.live);
    cohortOf.set(subscriber, cohort);
    cohort.add(subscriber);
  }

  function start(key: string, settings: CohortSettings): LiveCohort {
    const cohort = new LiveCohort({ settings, run, traced, refresh, empty: () => cohorts.delete(key) });
    cohorts.set(key, cohort);
    return cohort;
  }

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
      return () => leave(subscriber);
    },
    stats: () => ({ subscribers: cohortOf.size, cohorts: cohorts.size, statements }),
    close: () => {
      stopping.abort();
      for (const cohort of cohorts.values()) cohort.stop();
      for (const subscriber of [...cohortOf.keys()]) leave(subscriber);
    },
  };
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
