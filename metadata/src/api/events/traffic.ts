/** The command that reads counted traffic: calls of events and actions, and GraphQL operations, by period. */
import { z } from 'zod';
import { StorableText } from '../../sql/storable.ts';
import { Timestamp } from '../../time/timestamps.ts';

/** Calls of events and of asynchronous actions by their cause, and operations that clients send. */
export const TrafficKind = z.enum(['one_off', 'cron', 'event_trigger', 'async_action', 'graphql']);
export type TrafficKind = z.infer<typeof TrafficKind>;

/** The lengths of periods in seconds. Shorter ones than an hour exist for the last day only. */
export const trafficPeriods = [60, 300, 900, 3_600, 10_800, 86_400] as const;
const trafficPeriod = z.union(trafficPeriods.map((seconds) => z.literal(seconds)));

export const GetTrafficHistory = z.strictObject({
  /** Absent: every kind but `graphql`. */
  kinds: z.array(TrafficKind).min(1).nullish(),
  /** Origin of webhooks, name of a target or an action, or type of GraphQL operations. */
  destination: StorableText.nullish(),
  /** Inclusive; an hour before `until` unless given. */
  from: Timestamp.nullish(),
  /** Exclusive; now unless given. */
  until: Timestamp.nullish(),
  /** Unless given, the shortest that makes at most 120 periods. */
  period_seconds: trafficPeriod.nullish(),
});
export type GetTrafficHistory = z.infer<typeof GetTrafficHistory>;

/** Milliseconds, from a histogram whose classes are 19 percent wide. */
export interface HistoryPercentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface TrafficFigures {
  /** Calls or operations. */
  readonly count: number;
  /** Without an error. */
  readonly delivered: number;
  /** Failed calls that are followed by another one. */
  readonly retried: number;
  /** Failed last calls, and operations with an error. */
  readonly failed: number;
  /** Events that were too late to be called. They are not part of `count`. */
  readonly dead: number;
  /** Null without calls. */
  readonly duration_ms: HistoryPercentiles | null;
  /** The start of a call minus the time when it was due; null for `graphql` and without calls. */
  readonly lateness_ms: HistoryPercentiles | null;
  /** The largest number of due events that waited, sampled once a minute. */
  readonly backlog: number;
  /** The longest that one of them had waited. */
  readonly backlog_seconds: number;
}

export interface TrafficPeriod extends TrafficFigures {
  readonly at: string;
}

export interface TrafficDestination extends TrafficFigures {
  /** In the order of `TrafficKind`. */
  readonly kinds: readonly TrafficKind[];
  /** `other`: those beyond the number that is counted by name. */
  readonly destination: string;
}

export interface TrafficHistory {
  /** The start of the first period. */
  readonly from: string;
  readonly until: string;
  readonly period_seconds: number;
  readonly total: TrafficFigures;
  /** All periods in order, also those without calls. */
  readonly periods: readonly TrafficPeriod[];
  /** The busiest first. */
  readonly destinations: readonly TrafficDestination[];
}
