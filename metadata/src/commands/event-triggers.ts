/** Event triggers of tables: create or replace, delete, pause, resume. */
import { z } from 'zod';
import { CreateEventTrigger, EventTriggerName, TriggerCleanups } from '../api/events/triggers.ts';
import type { EventTrigger } from '../event-triggers/schema.ts';
import type { Metadata } from '../metadata.ts';
import type { SourceName } from '../names.ts';
import type { Source } from '../schema/sources.ts';
import type { TableEntry } from '../schema/tables.ts';
import { changeFirst, changeSource, changeTable, sameTable, without } from './edit/change.ts';
import { defineCommand } from './edit/command.ts';
import { EditError } from './edit/edit-error.ts';

type Arguments = z.output<typeof CreateEventTrigger>;

/** Returns the trigger as the metadata has it, without members that are null. */
function triggerOf({ source: _source, table: _table, replace: _replace, ...given }: Arguments): EventTrigger {
  const { name, insert, update, delete: deletion, enable_manual, ...settings } = given;
  const operations = { insert, update, delete: deletion, enable_manual: enable_manual ?? false };
  return { name, definition: withoutNulls(operations), ...withoutNulls(settings) };
}

function withoutNulls<Members extends object>(members: Members): Members {
  const given = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given) as Members;
}

/** Returns the table with a trigger of that name; undefined where the source has none. */
function ownerOf(source: Source, name: string): TableEntry | undefined {
  return source.tables.find(({ event_triggers }) => event_triggers?.some((one) => one.name === name));
}

function missing(name: string, path = '$.name'): EditError {
  return new EditError('not-exists', `event trigger "${name}" does not exist`, path);
}

export const createEventTrigger = defineCommand({
  name: 'create_event_trigger',
  arguments: CreateEventTrigger,
  apply: (args, metadata): Metadata => {
    const { source, table, name, replace } = args;
    return changeTable(metadata, { source, table }, (entry) => {
      const owner = metadata.sources.flatMap((one) => (one.name === source ? (ownerOf(one, name) ?? []) : []))[0];
      if (owner !== undefined && !replace) {
        throw new EditError('already-exists', `Event trigger with name "${name}" already exists`, '$.name');
      }
      if (owner === undefined && replace) throw missing(name);
      if (owner !== undefined && !sameTable(owner.table, table)) {
        throw new EditError('not-supported', 'cannot replace table or schema for trigger', '$.table');
      }
      const trigger = triggerOf(args);
      const triggers = entry.event_triggers ?? [];
      const isNamed = (one: EventTrigger): boolean => one.name === name;
      // A new definition does not resume a paused trigger.
      const replaced = changeFirst(triggers, isNamed, ({ paused }) =>
        setPaused(trigger, trigger.paused ?? paused ?? false),
      );
      return { ...entry, event_triggers: replaced ?? [...triggers, trigger] };
    });
  },
});

export const deleteEventTrigger = defineCommand({
  name: 'delete_event_trigger',
  arguments: EventTriggerName,
  apply: ({ source, name }, metadata) =>
    changeOwner(metadata, source, name, ({ event_triggers: list, ...entry }) => {
      const rest = without(list, (one) => one.name === name) ?? [];
      return rest.length === 0 ? entry : { ...entry, event_triggers: rest };
    }),
});

/** Changes the table of a trigger. Throws EditError `not-exists`. */
function changeOwner(
  metadata: Metadata,
  sourceName: SourceName,
  name: string,
  change: (entry: TableEntry) => TableEntry,
): Metadata {
  return changeSource(metadata, sourceName, (source) => {
    const owner = ownerOf(source, name);
    if (owner === undefined) throw missing(name);
    return { ...source, tables: source.tables.map((entry) => (entry === owner ? change(entry) : entry)) };
  });
}

function changeTriggers(entry: TableEntry, change: (trigger: EventTrigger) => EventTrigger): TableEntry {
  if (entry.event_triggers === undefined) return entry;
  return { ...entry, event_triggers: entry.event_triggers.map(change) };
}

/** Delivery is paused; changes continue to cause events. */
function setPaused(trigger: EventTrigger, isPaused: boolean): EventTrigger {
  const { paused: _before, ...rest } = trigger;
  return isPaused ? { ...rest, paused: true } : rest;
}

function pauseCommand<Name extends string>(name: Name, isPaused: boolean) {
  return defineCommand({
    name,
    arguments: EventTriggerName,
    apply: ({ source, name: trigger }, metadata) =>
      changeOwner(metadata, source, trigger, (entry) =>
        changeTriggers(entry, (one) => (one.name === trigger ? setPaused(one, isPaused) : one)),
      ),
  });
}

export const pauseEventTrigger = pauseCommand('pause_event_trigger', true);
export const resumeEventTrigger = pauseCommand('resume_event_trigger', false);

function cleanupsCommand<Name extends string>(name: Name, isPaused: boolean) {
  const change = (trigger: EventTrigger): EventTrigger =>
    trigger.cleanup_config ? { ...trigger, cleanup_config: { ...trigger.cleanup_config, paused: isPaused } } : trigger;
  return defineCommand({
    name,
    arguments: z.strictObject({ event_triggers: TriggerCleanups }),
    apply: ({ event_triggers: which }, metadata) => {
      if ('sources' in which) {
        const names = which.sources === '*' ? metadata.sources.map((source) => source.name) : which.sources;
        return names.reduce((current, source, index) => {
          const path = which.sources === '*' ? '' : `$.event_triggers.sources[${index}]`;
          return inSource(current, source, path, ({ tables }) => tables.map((entry) => changeTriggers(entry, change)));
        }, metadata);
      }
      return which.reduce((current, { source_name: source, event_triggers: triggers }, index) => {
        const path = `$.event_triggers[${index}]`;
        return inSource(current, source, `${path}.source_name`, ({ tables }) => {
          rejectWithoutCleanups(tables, triggers, `${path}.event_triggers`);
          return tables.map((entry) =>
            changeTriggers(entry, (one) => (triggers.includes(one.name) ? change(one) : one)),
          );
        });
      }, metadata);
    },
  });
}

/** Changes the tables of a source. Throws `not-exists` at `path`. */
function inSource(
  metadata: Metadata,
  name: SourceName,
  path: string,
  change: (source: Source) => Source['tables'],
): Metadata {
  if (!metadata.sources.some((source) => source.name === name)) {
    throw new EditError('not-exists', `source with name "${name}" does not exist`, path);
  }
  return changeSource(metadata, name, (source) => ({ ...source, tables: change(source) }));
}

/** Throws `not-exists` for a trigger that does not exist or has no cleanup configuration. */
function rejectWithoutCleanups(tables: Source['tables'], names: readonly string[], path: string): void {
  const triggers = tables.flatMap(({ event_triggers }) => event_triggers ?? []);
  for (const [index, name] of names.entries()) {
    const found = triggers.find((one) => one.name === name);
    if (found === undefined) throw missing(name, `${path}[${index}]`);
    if (found.cleanup_config) continue;
    const message = `cleanup config does not exist for event trigger "${name}"`;
    throw new EditError('not-exists', message, `${path}[${index}]`);
  }
}

export const pauseEventTriggerCleanups = cleanupsCommand('pause_event_trigger_cleanups', true);
export const resumeEventTriggerCleanups = cleanupsCommand('resume_event_trigger_cleanups', false);
