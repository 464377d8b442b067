/** The search for events of all kinds: one-off and cron events of the store, and events of triggers in the databases of the sources. */
import { type FoundEvents, SearchEvents } from '@joinery/metadata/api/events/search';
import { CallTarget, targetDestination } from '@joinery/metadata/schema/events/targets';
import type { Source } from '@joinery/metadata/schema/sources';
import { isSupportedSource } from '@joinery/metadata/schema/sources';
import { withinMs } from '../../base/cancellation.ts';
import { ServiceError } from '../../base/errors.ts';
import { type Cursor, readCursor, triggerKey } from '../../events/search/cursor.ts';
import { addCounts, pageOf } from '../../events/search/found-events.ts';
import { findByPayload } from '../../events/search/payload-index.ts';
import { type CountedStatus, countScheduledEvents, readScheduledEvents } from '../../events/search/scheduled-events.ts';
import {
  countTriggerEvents,
  isSearchedTrigger,
  mayMatchTriggers,
  readTriggerEvents,
  type TriggerStream,
} from '../../events/search/trigger-events.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fromPostgres } from '../../postgres/sql/errors.ts';
import { readCommand } from '../commands/command.ts';
import { triggerOwner } from '../event-triggers/owner.ts';
import { triggerNumbers } from '../event-triggers/reconcile.ts';
import type { CommandContext } from '../metadata/command-context.ts';
import type { State } from '../metadata/state.ts';

interface SourceResult {
  readonly source: string;
  readonly streams: readonly (readonly [key: string, stream: TriggerStream])[];
  readonly counts: readonly CountedStatus[];
  /** Why the source could not be read. */
  readonly problem?: string;
}

/** Milliseconds after which no further part is compared. */
const SEARCH_MS = 300;

/** Searches use the pool of the metadata: a long search must not delay the delivery of events. */
export const searchEvents = readCommand(SearchEvents, async (search, { state }, context): Promise<FoundEvents> => {
  const cursor: Cursor = typeof search.after === 'string' ? readCursor(search.after) : { triggers: new Map() };
  const { alone, tools, unit } = context;
  const query = alone ? tools.store.database.query : await unit.query(tools.store.database);
  const { payload_contains: payload } = search;
  const ids = payload === undefined ? undefined : await findByPayload(query, payload);
  const started = performance.now();
  const counting = search.counts ? countScheduledEvents(query, { ...search, ids }) : Promise.resolve([]);
  const readPage = async (from: Cursor, page: SearchEvents) => {
    const [scheduled, sources] = await Promise.all([
      readScheduledEvents(query, { ...page, ids }, from.scheduled),
      searchSources(page, from, state, context),
    ]);
    return { sources, page: pageOf({ scheduled, triggers: sources.flatMap(({ streams }) => streams) }, page, from) };
  };
  const [counts, first] = await Promise.all([counting, readPage(cursor, search)]);
  const { sources } = first;
  let found = first.page;
  // A part without enough matches is followed by further parts, as long as the caller can wait.
  while (
    found.searched_until !== undefined &&
    typeof found.next === 'string' &&
    performance.now() - started < SEARCH_MS
  ) {
    const rest = { ...search, limit: search.limit - found.events.length, counts: false };
    const { page } = await readPage(readCursor(found.next), rest);
    found = { ...page, events: [...found.events, ...page.events] };
  }
  const unread = sources.flatMap(({ source, problem }) => (problem === undefined ? [] : [{ source, reason: problem }]));
  return {
    ...found,
    ...(search.counts && { counts: addCounts([...counts, ...sources.flatMap((one) => one.counts)]) }),
    ...(unread.length > 0 && { unread_sources: unread }),
  };
});

function searchSources(
  search: SearchEvents,
  cursor: Cursor,
  { metadata, model }: State,
  context: CommandContext,
): Promise<readonly SourceResult[]> {
  if (!mayMatchTriggers(search)) return Promise.resolve([]);
  const searched = metadata.sources.filter(
    (source) =>
      isSupportedSource(source) &&
      model.sources.has(source.name) &&
      [...calledBy(source)].some(([name, webhook]) =>
        isSearchedTrigger({ name, source: source.name, webhook }, search),
      ),
  );
  return Promise.all(searched.map((source) => searchSource(source, search, cursor, context)));
}

/** Returns what each trigger of the source calls: the webhook with its templates, or the name of the target. */
function calledBy(source: Source): ReadonlyMap<string, string | undefined> {
  const triggers = source.tables.flatMap(({ event_triggers: list = [] }) => list);
  return new Map(
    triggers.map(({ name, webhook, webhook_from_env: variable, target }) => {
      const read = target === undefined || target === null ? undefined : CallTarget.safeParse(target).data;
      if (read !== undefined) return [name, targetDestination(read)];
      return [name, webhook ?? (typeof variable === 'string' ? `{{${variable}}}` : undefined)];
    }),
  );
}

/** Milliseconds after which a source is reported as unread. */
const READ_LIMIT_MS = 5_000;

async function searchSource(
  source: Source,
  search: SearchEvents,
  cursor: Cursor,
  { alone, tools, unit }: CommandContext,
): Promise<SourceResult> {
  const database = tools.sources.of(source);
  const owner = await triggerOwner(tools.store.database, source.name);
  if (!alone) return readSource(await unit.query(database), source, owner, search, cursor);
  try {
    return await withinMs(READ_LIMIT_MS, late, (signal) => {
      const limited: Query = (run, options) => database.query(run, { ...options, signal });
      return readSource(limited, source, owner, search, cursor);
    });
  } catch (error) {
    return { source: source.name, streams: [], counts: [], problem: fromPostgres(error).message };
  }
}

function late(): ServiceError {
  return new ServiceError('timeout', `the database did not respond within ${READ_LIMIT_MS / 1_000} seconds`);
}

/** The triggers are read one after the other, which takes one connection of the source. */
async function readSource(
  query: Query,
  written: Source,
  owner: string,
  search: SearchEvents,
  cursor: Cursor,
): Promise<SourceResult> {
  const streams: (readonly [string, TriggerStream])[] = [];
  const counts: CountedStatus[] = [];
  const source = written.name;
  const called = calledBy(written);
  for (const [name, number] of await triggerNumbers(query, owner)) {
    const trigger = { source, name, number, webhook: called.get(name) };
    if (!isSearchedTrigger(trigger, search)) continue;
    const key = triggerKey(source, number);
    streams.push([key, await readTriggerEvents(query, trigger, search, cursor.triggers.get(key))]);
    if (search.counts) counts.push(...(await countTriggerEvents(query, trigger, search)));
  }
  return { source, streams, counts };
}
