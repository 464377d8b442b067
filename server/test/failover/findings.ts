/** What a scenario did to the load: losses, early calls, repeated calls, errors and outages. */
import pg from 'pg';
import { DATABASE, type Member } from './cluster.ts';
import type { Load, RequestKind, Sent } from './load.ts';
import { until } from './processes.ts';
import type { Call, Receiver } from './receiver.ts';

/** Milliseconds since 1970. */
export interface Disturbance {
  readonly beganAt: number;
  /** When a primary that the nodes can reach accepted writes again. */
  readonly writableAt: number;
}

export interface Findings {
  /** Acknowledged mutations whose row does not exist. */
  readonly lostRows: number;
  /** Mutations that were reported as failed and whose row exists all the same. */
  readonly rowsOfFailed: number;
  /** Acknowledged events that are not `delivered`, by their state. */
  readonly undelivered: Readonly<Record<string, number>>;
  /** Acknowledged actions that are not `completed`, by their state. */
  readonly uncompleted: Readonly<Record<string, number>>;
  /** Milliseconds that calls came before their time. */
  readonly early: readonly number[];
  readonly repeatedEvents: Repeats;
  readonly repeatedActions: Repeats;
  /** Errors by code, of all requests. */
  readonly errors: Readonly<Record<string, number>>;
  /** Seconds from the time that a primary accepts writes to the end of the last request that failed; 0 without one. */
  readonly lastError: number;
  /** Seconds between two successful requests of a kind at most. */
  readonly longestOutage: Readonly<Record<RequestKind, number>>;
  readonly acknowledged: Readonly<Record<'mutations' | 'events' | 'actions', number>>;
}

export interface Repeats {
  /** Calls beyond the first of each event or action. */
  readonly total: number;
  /** Those whose first call was not in flight while the database was away. */
  readonly unexplained: readonly string[];
}

/** Milliseconds that the outcome of a call may take to be stored: outcomes are written in batches. */
const OUTCOME_MS = 1_000;

/** Codes after which a client does not know whether its mutation took place. */
const UNKNOWN_OUTCOMES = ['unknown-outcome', 'no-response', 'client-timeout', 'timeout', 'time-limit-exceeded'];

/** Waits until what was acknowledged is done, at most `seconds`, and compares it with the database. */
export async function findingsOf(
  load: Load,
  receiver: Receiver,
  primary: Member,
  disturbance: Disturbance,
  seconds: number,
): Promise<Findings> {
  const events = load.events.flatMap((event) => (event.id === undefined ? [] : [{ ...event, id: event.id }]));
  const read = async (): Promise<Stored> => readStored(primary, events, load);
  const isDone = (stored: Stored): boolean =>
    Object.keys(stored.undelivered).length === 0 && Object.keys(stored.uncompleted).length === 0;
  let stored = await read();
  await until(
    'every acknowledged event and action is done',
    async () => {
      stored = await read();
      return isDone(stored);
    },
    seconds,
  ).catch(() => undefined);

  const times = new Map(load.events.map(({ n, scheduledAt }) => [n, scheduledAt]));
  const failed = load.sent.filter(({ outcome }) => outcome !== 'ok');
  const lastFailure = Math.max(...failed.map(({ endedAt }) => endedAt), disturbance.writableAt);
  const ids = [...load.rows];
  const acknowledged = ids.filter(([, outcome]) => outcome === 'ok');
  const rejected = ids.filter(([, outcome]) => outcome !== 'ok' && !UNKNOWN_OUTCOMES.includes(outcome));
  return {
    lostRows: acknowledged.filter(([id]) => !stored.rows.has(id)).length,
    rowsOfFailed: rejected.filter(([id]) => stored.rows.has(id)).length,
    undelivered: stored.undelivered,
    uncompleted: stored.uncompleted,
    early: [...times].flatMap(([n, at]) =>
      (receiver.events.get(n) ?? []).filter(({ arrivedAt }) => arrivedAt < at).map(({ arrivedAt }) => at - arrivedAt),
    ),
    repeatedEvents: repeatsOf([...times.keys()], receiver.events, disturbance),
    repeatedActions: repeatsOf([...load.actions.keys()], receiver.actions, disturbance),
    errors: countBy(failed.map(({ kind, outcome }) => `${kind} ${outcome}`)),
    lastError: (lastFailure - disturbance.writableAt) / 1000,
    longestOutage: {
      query: longestOutage(load.sent, 'query'),
      mutation: longestOutage(load.sent, 'mutation'),
      events: longestOutage(load.sent, 'events'),
      action: longestOutage(load.sent, 'action'),
    },
    acknowledged: { mutations: acknowledged.length, events: events.length, actions: load.actions.size },
  };
}

interface Stored {
  readonly rows: ReadonlySet<string>;
  readonly undelivered: Readonly<Record<string, number>>;
  readonly uncompleted: Readonly<Record<string, number>>;
}

const eventStates = `
  select coalesce(p.status, case when e.id is null then 'lost' else 'pending' end) as state, count(*)::int
  from unnest($1::uuid[]) as a (id)
  left join joinery.processed_events p on p.id = a.id
  left join joinery.scheduled_events e on e.id = a.id
  group by 1`;

/** The output has to be that of this action. */
const actionStates = `
  select case
    when l.id is null then 'lost'
    when l.status = 'completed' and l.response_payload->>'n' is distinct from a.n::text then 'wrong output'
    else l.status end as state, count(*)::int
  from unnest($1::uuid[], $2::int[]) as a (id, n)
  left join joinery.action_log l on l.id = a.id
  group by 1`;

async function readStored(primary: Member, events: readonly { readonly id: string }[], load: Load): Promise<Stored> {
  const client = new pg.Client({ connectionString: `postgres://postgres@127.0.0.1:${primary.port}/${DATABASE}` });
  await client.connect();
  try {
    const states = async (text: string, values: readonly unknown[], done: string): Promise<Record<string, number>> => {
      const { rows } = await client.query<{ state: string; count: number }>(text, [...values]);
      return Object.fromEntries(rows.filter(({ state }) => state !== done).map(({ state, count }) => [state, count]));
    };
    const [undelivered, uncompleted] = [
      await states(eventStates, [events.map(({ id }) => id)], 'delivered'),
      await states(actionStates, [[...load.actions.values()], [...load.actions.keys()]], 'completed'),
    ];
    const { rows } = await client.query<{ id: string }>('select id from entry where id = any ($1::uuid[])', [
      [...load.rows.keys()],
    ]);
    return { rows: new Set(rows.map(({ id }) => id)), undelivered, uncompleted };
  } finally {
    await client.end();
  }
}

function repeatsOf(
  numbers: readonly number[],
  calls: ReadonlyMap<number, readonly Call[]>,
  { beganAt, writableAt }: Disturbance,
): Repeats {
  const repeated = numbers.flatMap((n) => {
    const all = calls.get(n) ?? [];
    return all.length > 1 ? [{ n, all }] : [];
  });
  const inFlight = ({ arrivedAt, answeredAt = Number.POSITIVE_INFINITY }: Call): boolean =>
    arrivedAt <= writableAt + OUTCOME_MS && answeredAt + OUTCOME_MS >= beganAt;
  return {
    total: repeated.reduce((sum, { all }) => sum + all.length - 1, 0),
    unexplained: repeated
      .filter(({ all }) => !all.slice(0, -1).every(inFlight))
      .map(({ n, all }) => `${n}: ${all.map(({ arrivedAt }) => seconds(arrivedAt - beganAt)).join(', ')}`),
  };
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function longestOutage(sent: readonly Sent[], kind: RequestKind): number {
  const times = sent
    .filter((one) => one.kind === kind && one.outcome === 'ok')
    .map(({ endedAt }) => endedAt)
    .sort((a, b) => a - b);
  return Math.max(0, ...times.slice(1).map((at, index) => at - (times[index] ?? at))) / 1000;
}

function countBy(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** One line for each figure. */
export function printFindings(name: string, findings: Findings): string {
  const { acknowledged, longestOutage: outage, repeatedEvents, repeatedActions } = findings;
  const joined = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([what, count]) => `${what} ${count}`)
      .join(', ') || 'none';
  return [
    `${name}:`,
    `  acknowledged: ${joined(acknowledged)}`,
    `  lost: mutations ${findings.lostRows}, events ${joined(findings.undelivered)}, actions ${joined(findings.uncompleted)}; stored although reported as failed: ${findings.rowsOfFailed}`,
    `  called early: ${findings.early.length}; repeated: events ${repeatedEvents.total}, actions ${repeatedActions.total}; not in flight: ${repeatedEvents.unexplained.length + repeatedActions.unexplained.length}`,
    `  errors: ${joined(findings.errors)}; the last ${findings.lastError.toFixed(1)} s after the primary accepts writes`,
    `  longest time without success: ${Object.entries(outage)
      .map(([kind, value]) => `${kind} ${value.toFixed(1)} s`)
      .join(', ')}`,
  ].join('\n');
}
