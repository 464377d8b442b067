/** All live queries and streams of this node: who polls with whom, and how many statements at once. */
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
  /** Begins at once. The way to end it is returned. */
  subscribe(target: LiveTarget, sink: LiveSink): () => void;
  readonly stats: () => LiveStats;
  /** Polls no more; subscribers are not told. */
  close(): void;
}

export interface LiveStats {
  readonly subscribers: number;
  /** Different statements that are polled. */
  readonly cohorts: number;
  /** Statements run since the start. */
  readonly statements: number;
}

export interface LiveQueriesOptions {
  readonly database: (source: SourceName) => Database;
  /** The one of the service itself. */
  readonly own?: Database | undefined;
  readonly observe: Observe;
  readonly trace?: Trace;
  /** A statement whose result is longer fails; its subscribers are then polled in smaller numbers. */
  readonly settings?: Pick<ExecuteSettings, 'maxResultBytes'>;
  readonly live: CohortSettings;
  readonly streams: CohortSettings;
  /** Statements at once: polls must leave connections to requests. */
  readonly concurrency: number;
}

export function createLiveQueries(options: LiveQueriesOptions): LiveQueries {
  const cohorts = new Map<string, LiveCohort>();
  const homes = new Map<LiveSubscriber, LiveCohort>();
  const inTurn = lanes(options.concurrency);
  const stopping = new Cancellation();
  let statements = 0;

  const run: LiveRun = (target, lists, span) =>
    inTurn(async () => {
      statements += 1;
      const { text, source, path } = target;
      try {
        const database = source === undefined ? ownDatabase(options) : options.database(source);
        const values = [...lists];
        const query = { text, values, name: database.prepared(text) };
        const maxLength = options.settings?.maxResultBytes;
        return (await database.query(query, { signal: stopping, maxLength, reads: true, span })).rows;
      } catch (error) {
        const refused = error instanceof ServiceError ? error : fromPostgres(error, { path, statement: text });
        if (refused.status >= 500) options.observe({ kind: 'failure', where: 'polling a live query', error: refused });
        throw refused;
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
    homes.set(subscriber, cohort);
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
      homes.get(subscriber)?.remove(subscriber);
      // A stream goes on behind the last row it sent.
      subscriber.target = target;
      join(subscriber);
    } catch (error) {
      leave(subscriber);
      subscriber.sink.ended(toServiceError(error));
    }
  }

  function leave(subscriber: LiveSubscriber): void {
    subscriber.leave();
    const home = homes.get(subscriber);
    homes.delete(subscriber);
    home?.remove(subscriber);
  }

  return {
    subscribe: (target, sink) => {
      const subscriber = new LiveSubscriber(target, sink);
      join(subscriber);
      return () => leave(subscriber);
    },
    stats: () => ({ subscribers: homes.size, cohorts: cohorts.size, statements }),
    close: () => {
      stopping.abort();
      for (const cohort of cohorts.values()) cohort.stop();
      for (const subscriber of [...homes.keys()]) leave(subscriber);
    },
  };
}

function ownDatabase({ own }: LiveQueriesOptions): Database {
  if (own === undefined) throw new TypeError('there is no database of the service itself');
  return own;
}

/** At most `width` of the works at once, in the order they came. */
function lanes(width: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= width) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
