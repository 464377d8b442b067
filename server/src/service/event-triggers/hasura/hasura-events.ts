/** `take_over_hasura_events`: the switch of a trigger from Hasura v2, with its pending events. */
import { type TakenOverEvents, TakeOverHasuraEvents } from '@joinery/metadata/api/events/maintenance';
import { ServiceError } from '../../../base/errors.ts';
import type { EventTrigger } from '../../../model/types/event-trigger.ts';
import type { Query } from '../../../postgres/client/statement-run.ts';
import { isPostgresError } from '../../../postgres/sql/errors.ts';
import { fixedStatement, runStatement } from '../../../postgres/sql/rows.ts';
import { ident, literal, sql } from '../../../postgres/sql/sql.ts';
import { orderingKeyOf } from '../capture-definition.ts';
import { triggerOwner } from '../owner.ts';
import { triggerNumbers } from '../reconcile.ts';
import { sourceCommand, triggerNamed } from '../source-command.ts';
import { hasHasuraEvents, hasuraFunctions } from './hasura-functions.ts';

const takeOver = fixedStatement(['number', 'name', 'key', 'claimed'], ['taken'], ({ number, name, key, claimed }) => {
  return sql`select joinery.take_over_hasura_events(${number}, ${name}, ${key}::text[], ${claimed}::boolean) as taken`;
});

const count = fixedStatement([], ['name', 'free', 'claimed'], () => {
  return sql`select p.trigger_name as name, count(*) filter (where not p.claimed) as free, count(*) filter (where p.claimed) as claimed
    from (
      select h.trigger_name, coalesce(h.locked >= clock_timestamp() - interval '30 minutes', false) as claimed
      from hdb_catalog.event_log h where not h.delivered and not h.error and not h.archived
    ) p group by p.trigger_name order by p.trigger_name`;
});

interface Pending {
  readonly free: number;
  readonly claimed: number;
}

async function pendingEvents(query: Query): Promise<ReadonlyMap<string, Pending>> {
  const rows = await count.rows(query, {});
  return new Map(rows.map(({ name, free, claimed }) => [name ?? '', { free: Number(free), claimed: Number(claimed) }]));
}

type Transaction = <T>(work: (query: Query) => Promise<T>) => Promise<T>;
type TakenOver = TakenOverEvents['triggers'][number];

interface Given {
  readonly dry_run: boolean;
  readonly include_claimed: boolean;
}

/** Throws `busy` where a transaction that has written a table does not end in time. Outside a bulk, each trigger is switched in transactions of its own. */
export const takeOverHasuraEvents = sourceCommand(
  TakeOverHasuraEvents,
  async ({ source, names, ...given }, { query, state, context, database }): Promise<TakenOverEvents> => {
    const all = [...(state.model.sources.get(source)?.eventTriggers?.values() ?? [])];
    const triggers =
      names?.map((name, index) => triggerNamed(state, { name, source }, `$.args.names[${index}]`)) ?? all;
    if (!(await hasHasuraEvents(query))) {
      return { dry_run: given.dry_run, has_hasura_events: false, triggers: [], others: [] };
    }
    const numbers = await triggerNumbers(query, await triggerOwner(context.tools.store.database, source));
    const transaction: Transaction = context.alone ? (work) => database.transaction(work) : (work) => work(query);
    const taken: TakenOver[] = [];
    for (const trigger of triggers) {
      const number = numbers.get(trigger.name);
      if (number === undefined && names) {
        throw new ServiceError('not-exists', `event trigger "${trigger.name}" does not exist in its source`, {
          path: '$.args.names',
        });
      }
      if (number !== undefined) taken.push(await takeOverTrigger(transaction, trigger, number, given));
    }
    const known = new Set(all.map(({ name }) => name));
    const others = [...(await pendingEvents(query))].filter(([name]) => !known.has(name));
    return {
      dry_run: given.dry_run,
      has_hasura_events: true,
      triggers: taken,
      others: others.map(([name, { free, claimed }]) => ({ name, pending: free + claimed })),
    };
  },
);

/** Milliseconds that the switch waits for transactions that have written the table. */
const LOCK_TIMEOUT_MS = 5_000;

/**
 * Moves the pending events, then drops the functions of Hasura v2 with their triggers, and moves the events that were captured
 * meanwhile, in one transaction. The table is locked for the second transaction only.
 */
async function takeOverTrigger(
  transaction: Transaction,
  trigger: EventTrigger,
  number: number,
  { dry_run, include_claimed: claimed }: Given,
): Promise<TakenOver> {
  const { name } = trigger;
  const key = orderingKeyOf(trigger)?.map((column) => column.name);
  const move = async (query: Query): Promise<number> =>
    Number((await takeOver.row(query, { number, name, key, claimed }))?.taken ?? 0);
  if (dry_run) {
    return transaction(async (query) => {
      const found = (await pendingEvents(query)).get(name) ?? { free: 0, claimed: 0 };
      const functions = await functionsOf(query, trigger);
      const taken = found.free + (claimed ? found.claimed : 0);
      return { name, functions, taken, claimed: claimed ? 0 : found.claimed };
    });
  }
  const before = await transaction(move);
  return transaction(async (query) => {
    const functions = await functionsOf(query, trigger);
    await dropFunctions(query, functions, trigger);
    const taken = before + (await move(query));
    return { name, functions, taken, claimed: (await pendingEvents(query)).get(name)?.claimed ?? 0 };
  });
}

async function functionsOf(query: Query, { name, table }: EventTrigger): Promise<readonly string[]> {
  const functions = await hasuraFunctions(query, name);
  for (const { tables } of functions) {
    const other = tables.find((one) => one.schema !== table.schema || one.name !== table.name);
    if (other === undefined) continue;
    const message = `Hasura v2 captures the changes of table "${other.schema}.${other.name}" for event trigger "${name}", which is on table "${table.schema}.${table.name}" here`;
    throw new ServiceError('not-supported', message, { path: '$.args.names' });
  }
  return functions.map((one) => one.name);
}

async function dropFunctions(query: Query, functions: readonly string[], { table }: EventTrigger): Promise<void> {
  if (functions.length === 0) return;
  await runStatement(query, sql`set local lock_timeout = ${literal(`${LOCK_TIMEOUT_MS}ms`)}`);
  try {
    for (const name of functions) {
      await runStatement(query, sql`drop function if exists ${ident('hdb_catalog', name)}() cascade`);
    }
  } catch (error) {
    if (!isPostgresError(error) || error.code !== '55P03') throw error;
    const message = `transactions that have written the table "${table.schema}.${table.name}" still run; nothing was switched for this trigger; run the command again`;
    throw new ServiceError('busy', message, { path: '$.args', cause: error });
  }
  await runStatement(query, sql`set local lock_timeout = default`);
}
