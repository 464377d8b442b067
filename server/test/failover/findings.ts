/** The results of a scenario: losses, early calls, repeated calls, errors and outages. */
import pg from 'pg';
import type { ComparedCalls } from '../support/events/counted-writers.ts';
import { until } from '../support/until.ts';
import type { ChangeLoad } from './changes.ts';
import { DATABASE, type Member } from './cluster.ts';
import type { Load, RequestKind, SentRequest } from './load.ts';
import type { Call, Receiver } from './receiver.ts';

/** Times of a failure in milliseconds since 1970. */
export interface Failure {
  readonly beganAt: number;
  /** The time at which a reachable primary accepted writes again. */
  readonly writableAt: number;
}

export interface Findings {
  /** Acknowledged mutations whose row does not exist. */
  readonly lostRows: number;
  /** Mutations that were reported as failed although their row exists. */
  readonly rowsOfFailed: number;
  /** Acknowledged events that are not `delivered`, by status. */
  readonly undelivered: Readonly<Record<string, number>>;
  /** Acknowledged actions that are not `completed`, by status. */
  readonly uncompleted: Readonly<Record<string, number>>;
  /** Milliseconds between early calls and their scheduled time. */
  readonly early: readonly number[];
  readonly repeatedEvents: Repeats;
  readonly repeatedActions: Repeats;
  /** Numbers of errors by kind of request and code. */
  readonly errors: Readonly<Record<string, number>>;
  /** Seconds from the first accepted write to the end of the last failed request; 0 without one. */
  readonly lastError: number;
  /** The longest time in seconds between two successful requests of a kind. */
  readonly longestOutage: Readonly<Record<RequestKind, number>>;
  /** The calls of event triggers in all scenarios until now. */
  readonly changes: Readonly<Record<string, ComparedCalls>>;
  readonly acknowledged: Readonly<Record<'mutations' | 'events' | 'actions', number>>;
}

export interface Repeats {
  /** The number of calls after the first of each event or action. */
  readonly total: number;
  /** Events or actions with an earlier call that was not in flight during the outage. */
  readonly unexplained: readonly string[];
}

/** The longest time in milliseconds until the outcome of a call is stored. Outcomes are written in batches. */
const OUTCOME_MS = 1_000;

/** Codes after which the outcome of a mutation is unknown to the client. */
const UNKNOWN_OUTCOMES = ['unknown-outcome', 'no-response', 'client-timeout', 'timeout', 'time-limit-exceeded'];

/** Waits at most `seconds` for all acknowledged events and actions, and compares the load with the database. */
export async function findingsOf(
  load: Load,
  receiver: Receiver,
  primary: Member,
  failure: Failure,
  seconds: number,
  changes: ChangeLoad,
): Promise<Findings> {
  const events = load.events.flatMap((event) => (event.id === undefined ? [] : [{ ...event, id: event.id }]));
  const read = async (): Promise<Stored> => readStored(primary, events, load);
  const isComplete = (stored: Stored): boolean =>
    Object.keys(stored.undelivered).length === 0 && Object.keys(stored.uncompleted).length === 0;
  let stored = await read();
  await until(
    'all acknowledged events and actions are completed',
    async () => {
      stored = await read();
      return isComplete(stored);
    },
    { seconds },
  ).catch(() => undefined);

  const times = new Map(load.events.map(({ n, scheduledAt }) => [n, scheduledAt]));
  const failed = load.sent.filter(({ outcome }) => outcome !== 'ok');
  const lastFailure = Math.max(...failed.map(({ endedAt }) => endedAt), failure.writableAt);
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
    repeatedEvents: repeatsOf([...times.keys()], receiver.events, failure),
    repeatedActions: repeatsOf([...load.actions.keys()], receiver.actions, failure),
    errors: countBy(failed.map(({ kind, outcome }) => `${kind} ${outcome}`)),
    lastError: (lastFailure - failure.writableAt) / 1000,
    longestOutage: {
      query: longestOutage(load.sent, 'query'),
      mutation: longestOutage(load.sent, 'mutation'),
      events: longestOutage(load.sent, 'events'),
      action: longestOutage(load.sent, 'action'),
    },
    changes: await changes.compare(seconds),
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

/** Selects the states of actions. The output must contain the number of the action. */
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
  { beganAt, writableAt }: Failure,
): Repeats {
  const repeated = numbers.flatMap((n) => {
    const all = calls.get(n) ?? [];
    return all.length > 1 ? [{ n, all }] : [];
  });
  const inFlight = ({ arrivedAt, respondedAt = Number.POSITIVE_INFINITY }: Call): boolean =>
    arrivedAt <= writableAt + OUTCOME_MS && respondedAt + OUTCOME_MS >= beganAt;
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

function longestOutage(sent: readonly SentRequest[], kind: RequestKind): number {
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

/** Returns a text with one line for each group of figures. */
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
    ...Object.entries(findings.changes).map(
      ([trigger, { missing, uncommitted, rolledBack, outOfOrder, repeated }]) =>
        `  trigger ${trigger}: missing ${missing.length}, uncommitted ${uncommitted.length}, rolled back ${rolledBack}, out of order ${outOfOrder}, repeated ${repeated}`,
    ),
    `  errors: ${joined(findings.errors)}; the last ${findings.lastError.toFixed(1)} s after the primary accepts writes`,
    `  longest time without success: ${Object.entries(outage)
      .map(([kind, value]) => `${kind} ${value.toFixed(1)} s`)
      .join(', ')}`,
  ].join('\n');
}
