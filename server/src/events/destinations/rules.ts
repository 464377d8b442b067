/** What destinations are allowed, as all nodes know it: settings, circuits, and this node's share of the limits. */
import type { Query } from '../../postgres/client/pool.ts';
import type { Allowance } from './queues.ts';

/** A row of joinery.event_destinations as delivery sees it. */
export interface DestinationRule {
  /** Of all nodes together; undefined for the default of each node. */
  readonly concurrency: number | undefined;
  /** The like. */
  readonly ratePerSecond: number | undefined;
  readonly paused: boolean;
  /** Set while the circuit is open: when a call may be tried, milliseconds since 1970 by the database's clock. */
  readonly probeAt: number | undefined;
}

/** Which of the nodes that deliver this one is, from 0. */
export interface Share {
  readonly nodes: number;
  readonly rank: number;
}

export interface DestinationRules {
  /** Reads them anew; calls `onChange` when they are others. Rejects when the database does not answer. */
  load(lease: string): Promise<void>;
  /** False until they were read. */
  known(): boolean;
  of(destination: string): DestinationRule | undefined;
  /** Destinations about which something is said. */
  names(): Iterable<string>;
  /** Destinations whose circuit is open. */
  open(): readonly string[];
  /** Settings and shares alone; circuits are the business of `circuits.ts`. */
  allowance(destination: string): Allowance;
}

export interface DestinationRulesSettings {
  readonly query: Query;
  /** Calls of one node to a destination about which nothing is said. */
  readonly perDestination: number;
  readonly onChange: () => void;
}

/** Marks the leases of nodes that deliver: leases serve other work too. */
export const deliveryNodeSuffix = ' events';

const sharesText = `select count(*) filter (where id <> $1) + 1, count(*) filter (where id < $1)
  from joinery.event_leases where node like '%${deliveryNodeSuffix}' and expires_at >= clock_timestamp() and not draining`;

const rulesText = `select destination, concurrency, rate_per_second, paused, extract(epoch from probe_at) * 1000
  from joinery.event_destinations order by destination`;

export function createDestinationRules(settings: DestinationRulesSettings): DestinationRules {
  const { query, perDestination } = settings;
  let rules = new Map<string, DestinationRule>();
  let share: Share = { nodes: 1, rank: 0 };
  let read: string | undefined;

  return {
    async load(lease) {
      const [counts] = (await query({ text: sharesText, values: [lease] })).rows;
      const { rows } = await query({ text: rulesText, values: [] });
      const text = JSON.stringify([counts, rows]);
      if (text === read) return;
      read = text;
      share = { nodes: Number(counts?.[0]), rank: Number(counts?.[1]) };
      rules = new Map(rows.map(([destination, ...row]) => [destination ?? '', readRule(row)]));
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

function readRule([concurrency, rate, paused, probeAt]: readonly (string | null | undefined)[]): DestinationRule {
  const number = (text: string | null | undefined): number | undefined =>
    text === null || text === undefined ? undefined : Number(text);
  return {
    concurrency: number(concurrency),
    ratePerSecond: number(rate),
    paused: paused === 't',
    probeAt: number(probeAt),
  };
}

/**
 * The limits of all nodes together are divided among those that live, so that no call costs a word between them. Where
 * there are fewer calls than nodes, the nodes that came last get none.
 */
export function allowanceOf(rule: DestinationRule, { nodes, rank }: Share, perDestination: number): Allowance {
  if (rule.paused) return { concurrency: 0, gapMs: 0 };
  const { concurrency, ratePerSecond } = rule;
  const mine =
    concurrency === undefined ? perDestination : Math.floor(concurrency / nodes) + (rank < concurrency % nodes ? 1 : 0);
  return { concurrency: mine, gapMs: ratePerSecond === undefined ? 0 : (1_000 * nodes) / ratePerSecond, limited: true };
}
