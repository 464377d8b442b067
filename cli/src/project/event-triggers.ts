/** The event triggers of exported metadata. */
import type { ExportedMetadata, ExportedSource } from '@joinery/metadata/document/exported-metadata';

type ExportedTrigger = NonNullable<NonNullable<ExportedSource['tables']>[number]['event_triggers']>[number];

export interface SourceTrigger {
  readonly source: string;
  readonly trigger: ExportedTrigger;
}

/** Returns the event triggers of all sources, or of the one with this name. */
export function eventTriggersOf({ sources }: ExportedMetadata, source?: string): readonly SourceTrigger[] {
  return sources.flatMap(({ name, tables = [] }) => {
    if (source !== undefined && name !== source) return [];
    const triggers = tables.flatMap(({ event_triggers: list = [] }) => list);
    return triggers.map((trigger) => ({ source: name, trigger }));
  });
}
