/** Exports the metrics of the delivery of scheduled events and of events of triggers. */
import type { Metrics, Reading } from '../base/telemetry/metrics.ts';
import { type EventStats, eventStats } from '../events/commands/stats.ts';
import type { DeliveryStats } from '../events/delivery/delivery-stats.ts';
import type { Database } from '../postgres/client/pool.ts';
import type { TriggerDeliveries } from '../service/event-triggers/deliveries.ts';

/** Milliseconds for which a reading of the backlog is reused. */
const BACKLOG_MS = 500;

/** The backlog covers all nodes, the other metrics this node. */
export function registerEventMetrics(metrics: Metrics, stats: () => DeliveryStats, { query }: Database): void {
  const help = 'Webhook calls of this node in progress.';
  metrics.gauge('joinery_events_in_flight', help, () => stats().inFlight);
  const outcomes = (): Reading => {
    const { delivered, retried, failed, dead, lost } = stats();
    return Object.entries({ delivered, retried, failed, dead, lost }).map(([outcome, n]) => [{ outcome }, n] as const);
  };
  const outcomeHelp = 'Outcomes of events that this node has recorded.';
  metrics.counter('joinery_event_outcomes_total', outcomeHelp, outcomes, ['outcome']);
  metrics.counter('joinery_event_calls_total', 'Webhook calls of this node.', () => stats().calls);
  const latenessHelp = 'How late the last 1,024 calls of this node began, by quantile; 1 is the latest.';
  const lateness = (): Reading => {
    const { p50, p99, max } = stats().lateness;
    return Object.entries({ '0.5': p50, '0.99': p99, '1': max }).map(
      ([quantile, ms]) => [{ quantile }, ms / 1_000] as const,
    );
  };
  metrics.gauge('joinery_event_lateness_seconds', latenessHelp, lateness, ['quantile']);
  let backlog: { readonly at: number; readonly stats: ReturnType<typeof eventStats> } | undefined;
  // The gauges of one scrape share one statement.
  const read = (of: (backlog: EventStats) => number) => async () => {
    const now = performance.now();
    if (backlog === undefined || now - backlog.at > BACKLOG_MS) backlog = { at: now, stats: eventStats(query) };
    return of(await backlog.stats);
  };
  const ofAll = (name: string, of: string, value: (backlog: EventStats) => number): void =>
    metrics.gauge(name, `${of}, of all nodes.`, read(value));
  ofAll('joinery_events_pending', 'Events that are not processed yet', ({ pending }) => pending);
  ofAll('joinery_events_due', 'Due events that no node has claimed', ({ due }) => due);
  ofAll('joinery_events_taken', 'Due events that a node has claimed', ({ inFlight }) => inFlight);
  ofAll(
    'joinery_events_oldest_due_seconds',
    'Seconds since the oldest due event became due',
    (one) => one.oldestDueSeconds,
  );
}

/** Of the events of triggers, by source. The backlog covers all nodes, the other metrics this node. */
export function registerTriggerMetrics(metrics: Metrics, { stats, backlog }: TriggerDeliveries): void {
  const each = (of: (stats: DeliveryStats) => number) => (): Reading =>
    [...stats()].map(([source, one]) => [{ source }, of(one)] as const);
  const inFlight = 'Webhook calls of this node for events of triggers in progress.';
  metrics.gauge(
    'joinery_trigger_events_in_flight',
    inFlight,
    each((one) => one.inFlight),
    ['source'],
  );
  const calls = 'Webhook calls of this node for events of triggers.';
  metrics.counter(
    'joinery_trigger_event_calls_total',
    calls,
    each((one) => one.calls),
    ['source'],
  );
  const outcomes = (): Reading =>
    [...stats()].flatMap(([source, { delivered, retried, failed, dead, lost }]) =>
      Object.entries({ delivered, retried, failed, dead, lost }).map(
        ([outcome, n]) => [{ source, outcome }, n] as const,
      ),
    );
  const outcomeHelp = 'Outcomes of events of triggers that this node has recorded.';
  metrics.counter('joinery_trigger_event_outcomes_total', outcomeHelp, outcomes, ['source', 'outcome']);
  const lateness = (): Reading =>
    [...stats()].flatMap(
      ([
        source,
        {
          lateness: { p50, p99, max },
        },
      ]) =>
        Object.entries({ '0.5': p50, '0.99': p99, '1': max }).map(
          ([quantile, ms]) => [{ source, quantile }, ms / 1_000] as const,
        ),
    );
  const latenessHelp = 'How late the last 1,024 of these calls began, by quantile; 1 is the latest.';
  metrics.gauge('joinery_trigger_event_lateness_seconds', latenessHelp, lateness, ['source', 'quantile']);
  let reading: { readonly at: number; readonly backlog: ReturnType<TriggerDeliveries['backlog']> } | undefined;
  const read = (member: 'pending' | 'oldestSeconds') => async (): Promise<Reading> => {
    const now = performance.now();
    if (reading === undefined || now - reading.at > BACKLOG_MS) reading = { at: now, backlog: backlog() };
    return [...(await reading.backlog)].map(([source, one]) => [{ source }, one[member]] as const);
  };
  const pending = 'Events of triggers that are not finished, at most 10,000 of each trigger, of all nodes.';
  metrics.gauge('joinery_trigger_events_pending', pending, read('pending'), ['source']);
  const oldest = 'Seconds since the oldest pending event of a trigger was created, of all nodes.';
  metrics.gauge('joinery_trigger_events_oldest_pending_seconds', oldest, read('oldestSeconds'), ['source']);
}
