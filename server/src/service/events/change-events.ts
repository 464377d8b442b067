/** The command that changes many events of all kinds. */
import { type ChangedEvents, ChangeEvents, type UnchangedEvent } from '@joinery/metadata/api/events/search';
import type { SourceName } from '@joinery/metadata/names';
import { changeScheduledEvents } from '../../events/search/change-events.ts';
import { redeliverTriggerEvent } from '../../events/triggers/store.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { readCommand } from '../commands/command.ts';
import { eventOf, notExists } from '../event-triggers/source-command.ts';
import { type CommandContext, eventQuery } from '../metadata/command-context.ts';
import type { State } from '../metadata/state.ts';

export const changeEvents = readCommand(ChangeEvents, async (args, { state }, context): Promise<ChangedEvents> => {
  const { action, events, schedule_at } = args;
  const scheduled = events.filter(({ source }) => typeof source !== 'string');
  const results: ChangedEvents[] = [];
  if (scheduled.length > 0) {
    results.push(await changeScheduledEvents(await eventQuery(context), action, scheduled, schedule_at ?? undefined));
  }
  for (const source of new Set(events.flatMap((event) => event.source ?? []))) {
    const ids = events.flatMap((event) => (event.source === source ? [event.event_id] : []));
    results.push(await changeTriggerEvents(action, source, ids, state, context));
  }
  return {
    changed: results.flatMap(({ changed }) => changed),
    unchanged: results.flatMap(({ unchanged }) => unchanged),
  };
});

/** Events of event triggers can be redelivered only. */
async function changeTriggerEvents(
  action: ChangeEvents['action'],
  source: SourceName,
  ids: readonly string[],
  state: State,
  context: CommandContext,
): Promise<ChangedEvents> {
  const written = state.metadata.sources.find(({ name }) => name === source);
  if (written === undefined) throw notExists(`source with name "${source}" does not exist`, '$.args.events');
  if (action !== 'redeliver') {
    const reason = 'events of event triggers can only be redelivered';
    return { changed: [], unchanged: ids.map((event_id) => ({ event_id, source, reason })) };
  }
  if (!state.model.sources.has(source)) {
    const reason = `the source "${source}" is inconsistent`;
    return { changed: [], unchanged: ids.map((event_id) => ({ event_id, source, reason })) };
  }
  const database = context.tools.sources.of(written);
  const query: Query = context.alone ? database.query : await context.unit.query(database);
  const changed: ChangedEvents['changed'][number][] = [];
  const unchanged: UnchangedEvent[] = [];
  for (const event_id of ids) {
    const known = await eventOf({ query, database, state, context }, source, event_id);
    const result = known === undefined ? 'not-exists' : await redeliverTriggerEvent(query, event_id);
    if (result === 'ok') changed.push({ event_id, source });
    else unchanged.push({ event_id, source, reason: reasons[result] });
  }
  return { changed, unchanged };
}

const reasons = { busy: 'the event is being called', 'not-exists': 'there is no event with this id' } as const;
