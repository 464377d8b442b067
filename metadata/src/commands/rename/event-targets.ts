/** Changes the targets of cron triggers and event triggers. Events that exist already keep theirs. */
import type { Metadata } from '../../metadata.ts';
import type { CallTarget } from '../../schema/events/targets.ts';

export function changeEventTargets(metadata: Metadata, change: (target: CallTarget) => CallTarget): Metadata {
  const changed = <Trigger extends { readonly target?: CallTarget | null | undefined }>(trigger: Trigger): Trigger =>
    trigger.target ? { ...trigger, target: change(trigger.target) } : trigger;
  const { cron_triggers } = metadata;
  return {
    ...metadata,
    ...(cron_triggers && { cron_triggers: cron_triggers.map(changed) }),
    sources: metadata.sources.map((source) => ({
      ...source,
      tables: source.tables.map((entry) =>
        entry.event_triggers === undefined ? entry : { ...entry, event_triggers: entry.event_triggers.map(changed) },
      ),
    })),
  };
}
