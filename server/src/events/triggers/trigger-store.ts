/** The storage of the events of triggers: tables of the schema `joinery` in the database of a source. */
import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../postgres/client/pool.ts';
import type { Row } from '../../postgres/client/statement-run.ts';
import { fixedStatement, selectList } from '../../postgres/sql/rows.ts';
import { integer, sql } from '../../postgres/sql/sql.ts';
import {
  type Claim,
  type EventStore,
  loggedRequest,
  type OutcomeForm,
  type OutcomeRecord,
} from '../delivery/event-store.ts';
import { createLeaseStore } from '../leases/leases.ts';
import {
  type ClaimedChange,
  createEventBatches,
  dataOf,
  type StoredChange,
  type StoredTriggerEvent,
} from './batches.ts';
import { settingOf } from './envelope.ts';
import { buildTriggerRequest, joinData, targetOfTrigger } from './request.ts';
import type { DeliveredTrigger, TriggerOperation } from './trigger.ts';

export interface TriggerStoreSettings {
  /** The database of the source, by a pool that does not serve requests. */
  readonly database: Database;
  /** Returns the present triggers of the source by number. The map is replaced when a definition changes. */
  readonly triggers: () => ReadonlyMap<number, DeliveredTrigger>;
  /** Returns the numbers of triggers in the database whose events others deliver. */
  readonly foreign?: () => readonly number[];
  /** Reads the numbers of the triggers again. */
  readonly readNumbers?: () => Promise<void>;
}

/** Longer rows, in bytes, are fetched one at a time, which bounds the memory of a claim. */
const INLINE_ROWS = 16_384;

const columns = selectList({
  number: sql`c.number`,
  seq: sql`c.seq`,
  segment: sql`c.segment`,
  batch: sql`c.batch`,
  id: sql`c.id`,
  operation: sql`c.op`,
  before: sql`c.old`,
  after: sql`c.new`,
  large: sql`c.large`,
  outdated: sql`c.outdated`,
  session: sql`c.session`,
  trace: sql`c.trace`,
  orderingKey: sql`c.ordering_key`,
  createdAt: sql`c.created_at`,
  createdMs: sql`c.created_ms`,
  dueMs: sql`c.due_ms`,
  tries: sql`c.tries`,
  requeuedMs: sql`c.requeued_ms`,
  requeuedTries: sql`c.requeued_tries`,
  bytes: sql`c.bytes`,
});
const { at } = columns;

const claim = fixedStatement(
  ['lease', 'aheadMs', 'most', 'mostEach', 'limits', 'except'],
  [],
  ({ lease, aheadMs, most, mostEach, limits, except }) => {
    return sql`select ${columns.list} from joinery.claim_trigger_events(
      ${lease}, ${aheadMs} * interval '1 ms', ${most}, ${mostEach}, ${limits}, ${except}::integer[], ${integer(INLINE_ROWS)}) c`;
  },
);

const confirm = fixedStatement(['lease', 'numbers', 'seqs', 'batches'], [], ({ lease, numbers, seqs, batches }) => {
  return sql`select c.number, c.seq
    from joinery.confirm_trigger_events(${lease}, ${numbers}::integer[], ${seqs}::bigint[], ${batches}::bigint[]) c`;
});

const release = fixedStatement(['lease', 'numbers', 'seqs', 'chosen'], [], ({ lease, numbers, seqs, chosen }) => {
  return sql`select joinery.release_trigger_events(
    ${lease}, ${numbers}::integer[], ${seqs}::bigint[], ${chosen}::boolean)`;
});

const sweep = fixedStatement([], ['freed'], () => sql`select joinery.sweep_trigger_events() as freed`);

const fetchRows = fixedStatement(['number', 'segment', 'seq'], ['old', 'new'], ({ number, segment, seq }) => {
  return sql`select r.old, r.new from joinery.trigger_event_rows(${number}, ${segment}, ${seq}) r`;
});

const settle = fixedStatement(['outcomes', 'agent'], [], ({ outcomes, agent }) => {
  return sql`select joinery.settle_trigger_events(${outcomes}, ${agent}) as lost_id`;
});

const clock = fixedStatement([], ['now'], () => sql`select extract(epoch from clock_timestamp()) * 1000 as now`);

/** Returns the storage of the events of a source whose tables are installed. */
export function createTriggerStore({
  database,
  triggers,
  foreign = () => [],
  readNumbers = async () => undefined,
}: TriggerStoreSettings): EventStore<StoredTriggerEvent> {
  const { query, prepared } = database;
  const leases = createLeaseStore(query, 'triggers');
  const batches = createEventBatches();
  /** Triggers in the database that `triggersThen` does not have: another node has a newer definition. */
  const unknown = new Set<number>();
  let triggersThen = triggers();
  /** Whether the last claim returned as many changes as it could. */
  let full = false;
  /** Milliseconds until the end of the next window of a debounce, at the last claim. */
  let windowMs = Number.POSITIVE_INFINITY;

  async function releaseChanges(lease: string, changes: readonly StoredChange[], chosen: boolean): Promise<void> {
    await release.run(query, { lease, chosen, ...keysOf(changes) });
  }

  async function claimChanges(lease: string, wanted: Claim): Promise<readonly ClaimedChange[]> {
    const { aheadMs, most, mostEach = most } = wanted;
    const queues = new Set(wanted.exceptQueues);
    const present = [...triggersThen.values()];
    const except = [
      ...unknown,
      ...foreign(),
      ...present.filter(({ lane }) => queues.has(lane)).map(({ number }) => number),
    ];
    const limits = Object.fromEntries(
      present.flatMap(({ number, batch }) => (batch === undefined ? [] : [[number, mostEach * batch.maxEvents]])),
    );
    const inputs = { lease, aheadMs, most, mostEach, limits: JSON.stringify(limits), except };
    const { rows } = await claim.run(query, inputs, prepared(claim.text));
    const last = rows.at(-1);
    const hasWindow = last !== undefined && last[at.number] === null;
    windowMs = hasWindow ? Number(last[at.dueMs]) : Number.POSITIVE_INFINITY;
    return (hasWindow ? rows.slice(0, -1) : rows).map(readChange);
  }

  return {
    leases: {
      ...leases,
      async take(node, lastsMs) {
        const lease = await leases.take(node, lastsMs);
        // The tables may have been created again. The lease is valid in these tables only, in which no number is used again.
        await readNumbers();
        return lease;
      },
    },
    channels: ['joinery_triggers'],
    announced: () => 'events',
    async readClock() {
      return { now: Number((await clock.row(query, {}))?.now), aheadMs: 0 };
    },
    async claim(lease, wanted) {
      if (triggers() !== triggersThen) unknown.clear();
      triggersThen = triggers();
      const claimed = await claimChanges(lease, wanted);
      // A definition that changed during the claim holds for the events that were captured since.
      const current = triggers();
      full = claimed.length >= wanted.most;
      const foreign = claimed.filter(({ change }) => !current.has(change.number)).map(({ change }) => change);
      for (const { number } of foreign) unknown.add(number);
      if (foreign.length > 0) await releaseChanges(lease, foreign, true);
      const own = claimed.flatMap((one) => {
        const trigger = current.get(one.change.number);
        return trigger === undefined ? [] : [[trigger, one] as const];
      });
      return batches.add(lease, own);
    },
    claimAgainMs() {
      const ms = full ? 0 : Math.min(batches.waitMs() ?? Number.POSITIVE_INFINITY, windowMs);
      return ms === Number.POSITIVE_INFINITY ? undefined : ms;
    },
    async confirm(lease, events) {
      const changes = events.flatMap((event) => event.changes);
      const claimedIn = changes.map(({ batch }) => batch ?? null);
      const { rows } = await confirm.run(query, { lease, batches: claimedIn, ...keysOf(changes) });
      const claimed = new Set(rows.map(([number, seq]) => `${number}/${seq}`));
      const isClaimed = ({ number, seq }: StoredChange): boolean => claimed.has(`${number}/${seq}`);
      const lost = events.filter((event) => !event.changes.every(isClaimed));
      // The other changes of a batch are delivered by a later claim.
      const rest = lost.flatMap((event) => event.changes.filter(isClaimed));
      if (rest.length > 0) await releaseChanges(lease, rest, true);
      const lostEvents = new Set(lost);
      return new Set(events.filter((event) => !lostEvents.has(event)).map(({ id }) => id));
    },
    release: (lease, events) => {
      return releaseChanges(
        lease,
        events.flatMap(({ changes }) => changes),
        true,
      );
    },
    releaseOthers: (lease, known) => {
      batches.clear(lease);
      return releaseChanges(
        lease,
        known.flatMap(({ changes }) => changes),
        false,
      );
    },
    sweep: async () => Number((await sweep.row(query, {}))?.freed ?? 0),
    async loadPayload(_lease, { trigger, changes }) {
      const data: string[] = [];
      for (const change of changes) {
        const { number, segment, seq } = change;
        const rows = await fetchRows.row(query, { number, segment, seq });
        if (rows === undefined) return undefined;
        data.push(dataOf(trigger, change, { before: rows.old ?? undefined, after: rows.new ?? undefined }));
      }
      return joinData(data);
    },
    mayCall: ({ trigger }) => {
      const current = triggers().get(trigger.number);
      return current === trigger || (current?.name === trigger.name && hasSameTarget(current, trigger));
    },
    targetOf: targetOfTrigger,
    buildRequest: buildTriggerRequest,
    printOutcome,
    async settle(outcomes, agent) {
      const { rows } = await settle.run(query, { outcomes: `[${outcomes.join()}]`, agent }, prepared(settle.text));
      return new Set(rows.map(([id]) => id ?? ''));
    },
  };
}

function hasSameTarget(one: DeliveredTrigger, other: DeliveredTrigger): boolean {
  return isDeepStrictEqual(one.target?.written, other.target?.written);
}

/** Returns the changes as two arrays, as the functions of the source take them. */
function keysOf(changes: readonly StoredChange[]): { readonly numbers: number[]; readonly seqs: string[] } {
  return { numbers: changes.map(({ number }) => number), seqs: changes.map(({ seq }) => seq) };
}

function readChange(row: Row): ClaimedChange {
  const createdMs = Number(row[at.createdMs]);
  const requeuedMs = row[at.requeuedMs];
  return {
    change: {
      id: row[at.id] ?? '',
      operation: (row[at.operation] ?? 'MANUAL') as TriggerOperation,
      createdAt: row[at.createdAt] ?? '',
      session: settingOf(row[at.session]),
      trace: settingOf(row[at.trace]),
      number: Number(row[at.number]),
      seq: row[at.seq] ?? '',
      segment: row[at.segment] ?? '',
      batch: row[at.batch] ?? undefined,
      outdated: row[at.outdated] === 't',
    },
    rows:
      row[at.large] === 't' ? undefined : { before: row[at.before] ?? undefined, after: row[at.after] ?? undefined },
    bytes: Number(row[at.bytes]),
    dueAt: Number(row[at.dueMs]),
    scheduledAt: typeof requeuedMs === 'string' ? Number(requeuedMs) : createdMs,
    tries: Number(row[at.tries]),
    triesBefore: Number(row[at.requeuedTries]),
    orderingKey: row[at.orderingKey] ?? undefined,
  };
}

const notStored =
  '{"type":"client_error","data":{"message":"not stored: PostgreSQL rejected the response"},"version":"1"}';

/** Longer logs of a call are stored with the first event of a batch only; the others refer to it. */
const MOST_REPEATED = 2_000;

/** Prints the log of a further event of a batch. */
function reference({ changes: [first], trigger }: StoredTriggerEvent, status: number | undefined): string {
  const type = status !== undefined && status >= 200 && status < 300 ? 'webhook_response' : 'client_error';
  const payload = `{"first_event_of_batch":"${first?.id}"}`;
  const data = `{"message":"logged with the first event of the batch, ${first?.id}","status":${status ?? 'null'}}`;
  return `,"request":{"max_retries":${trigger.numRetries},"payload":${payload}},"response":{"type":"${type}","data":${data},"version":"1"}`;
}

/** Prints an element for each change of the event. Concatenated, because request and response are JSON text already. */
function printOutcome(record: OutcomeRecord<StoredTriggerEvent>, form: OutcomeForm): string {
  const { event, lease, outcome, keep, attempt } = record;
  const ending =
    outcome.kind === 'retry' ? `"retry_ms":${Math.ceil(outcome.at)},"keep":${keep}` : `"status":"${outcome.kind}"`;
  const request = form === 'whole' ? (loggedRequest(record) ?? 'null') : 'null';
  const response = form === 'whole' ? attempt.response : notStored;
  const unlogged = form === 'without log' ? ',"unlogged":true' : '';
  const call = `"attempt":${event.tries + 1},"started_ms":${attempt.startedAt},"duration_ms":${Math.round(attempt.durationMs)},"code":${attempt.status ?? 'null'}${unlogged}`;
  const whole = `,"request":${request},"response":${response}`;
  const short = event.changes.length === 1 || whole.length <= MOST_REPEATED ? whole : reference(event, attempt.status);
  return event.changes
    .map(({ number, seq, segment, batch }, index) => {
      // After the first call the change is in trigger_work.
      const claimedIn = event.tries === 0 ? (batch ?? 'null') : 'null';
      return `{"id":"${event.id}","number":${number},"seq":${seq},"segment":${segment},"batch":${claimedIn},"lease":${lease},${ending},${call}${index === 0 ? whole : short}}`;
    })
    .join();
}
