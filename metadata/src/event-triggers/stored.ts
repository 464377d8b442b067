/** Reads event triggers that earlier versions stored without reading them. */
import { isJsonObject } from '../json.ts';
import { EventTrigger } from './schema.ts';

/**
 * Returns stored metadata in which every event trigger can be read. One that cannot becomes a trigger without operations,
 * which is inconsistent, and is kept in its member `unread`.
 */
export function withReadableTriggers(metadata: unknown): unknown {
  return changed(metadata, 'sources', (source) =>
    changed(source, 'tables', (table) => {
      if (!isJsonObject(table) || !('event_triggers' in table)) return table;
      const { event_triggers: written, ...rest } = table;
      if (written === null || written === undefined) return rest;
      const triggers: readonly unknown[] = Array.isArray(written) ? written : [written];
      return { ...rest, event_triggers: triggers.map(readable) };
    }),
  );
}

function changed(value: unknown, member: string, change: (element: unknown) => unknown): unknown {
  if (!isJsonObject(value)) return value;
  const list = value[member];
  return Array.isArray(list) ? { ...value, [member]: list.map(change) } : value;
}

function readable(trigger: unknown): unknown {
  if (EventTrigger.safeParse(trigger).success) return trigger;
  const name = isJsonObject(trigger) && typeof trigger.name === 'string' ? trigger.name : '';
  return { name, definition: {}, unread: trigger };
}
