/** The limits of destinations, read from the database: settings, open circuits and this node's share of the limits. */

import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement, type TextRow } from '../../postgres/sql/rows.ts';
import { literal, sql } from '../../postgres/sql/sql.ts';
import type { Allowance } from './slots.ts';

/** The part of a row of `joinery.event_destinations` that delivery uses. */
export interface DestinationRule {
  /** Concurrent calls of all nodes; undefined for the default of each node. */
  readonly concurrency: number | undefined;
  /** Calls per second of all nodes; undefined for no limit. */
  readonly ratePerSecond: number | undefined;
  readonly paused: boolean;
  /** While the circuit is open, the time of the next probe: milliseconds since 1970 by the database's clock. */
  readonly probeAt: number | undefined;
}

/** The number of delivering nodes, and the rank of this node from 0. */
export interface Share {
  readonly nodes: number;
  readonly rank: number;
}

export interface DestinationRules {
  /** Reads the rules and calls `onChange` if they changed. Rejects if the query fails. */
  load(lease: string): Promise<void>;
  /** Whether the rules have been read. */
  known(): boolean;
  of(destination: string): DestinationRule | undefined;
  /** Returns the destinations with a row. */
  names(): Iterable<string>;
  /** Returns the destinations with an open circuit. */
  open(): readonly string[];
  /** Returns the limits by settings and share; circuit breakers may lower them further. */
  allowance(destination: string): Allowance;
}

export interface DestinationRulesSettings {
  readonly query: Query;
  /** Concurrent calls of one node to a destination without a configured limit. */
  readonly perDestination: number;
  readonly onChange: () => void;
}

/** Suffix of the node name in leases of event delivery, to distinguish them from leases of other work. */
export const deliveryNodeSuffix = ' events';

const readShare = fixedStatement(['lease'], ['nodes', 'rank'], ({ lease }) => {
  return sql`select count(*) filter (where id <> ${lease}) + 1 as nodes, count(*) filter (where id < ${lease}) as rank
    from joinery.event_leases
    where node like ${literal(`%${deliveryNodeSuffix}`)} and expires_at >= clock_timestamp() and not draining`;
});

const ruleColumns = ['destination', 'concurrency', 'rate_per_second', 'paused', 'probe_ms'] as const;
const readRules = fixedStatement([], ruleColumns, () => {
  return sql`select destination, concurrency, rate_per_second, paused, extract(epoch from probe_at) * 1000 as probe_ms
    from joinery.event_destinations order by destination`;
});

export function createDestinationRules(settings: DestinationRulesSettings): DestinationRules {
  const { query, perDestination } = settings;
  let rules = new Map<string, DestinationRule>();
  let share: Share = { nodes: 1, rank: 0 };
  let read: string | undefined;

  return {
    async load(lease) {
      const counts = await readShare.row(query, { lease });
      const rows = await readRules.rows(query, {});
      const text = JSON.stringify([counts, rows]);
      if (text === read) return;
      read = text;
      share = { nodes: Number(counts?.nodes), rank: Number(counts?.rank) };
      rules = new Map(rows.map((row) => [row.destination ?? '', readRule(row)]));
      settings.onChange();
    },
    known: () => read !== undefined,
    of: (destination) => rules.get(destination),
    names: () => rules.keys(),
    open: () => [...rules].filter(([, { probeAt }]) => probeAt !== undefined).map(([destination]) => destination),
    allowance(destination) {
      const rule = rules.get(destination);
      return rule === undefined ? { concurrency: perDestination, gapMs: 0 } : allowanceOf(rule, share, perDestination);
    },
  };
}

function readRule(row: TextRow<(typeof ruleColumns)[number]>): DestinationRule {
  const number = (text: string | null): number | undefined => (text === null ? undefined : Number(text));
  return {
    concurrency: number(row.concurrency),
    ratePerSecond: number(row.rate_per_second),
    paused: row.paused === 't',
    probeAt: number(row.probe_ms),
  };
}

/**
 * Returns this node's share of the limits. The limits are divided among the live nodes, so that calls need no
 * coordination. If there are fewer slots than nodes, the nodes that started last get none.
 */
function allowanceOf(rule: DestinationRule, { nodes, rank }: Share, perDestination: number): Allowance {
  if (rule.paused) return { concurrency: 0, gapMs: 0 };
  const { concurrency, ratePerSecond } = rule;
  const mine =
    concurrency === undefined ? perDestination : Math.floor(concurrency / nodes) + (rank < concurrency % nodes ? 1 : 0);
  return { concurrency: mine, gapMs: ratePerSecond === undefined ? 0 : (1_000 * nodes) / ratePerSecond, limited: true };
}
