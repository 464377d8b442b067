/** Which cron triggers are part of exported metadata, and which are not and stay where they are. */

import type { Metadata } from '../metadata.ts';
import type { CronTrigger } from '../schema/cron-triggers.ts';

/** The metadata as it is exported: without what is not to be part of it. */
export function exported(metadata: Metadata): Metadata {
  return withTriggers(
    metadata,
    (metadata.cron_triggers ?? []).filter((one) => one.include_in_metadata),
  );
}

/** The triggers of `current` that no document speaks of. */
export function unexported(current: Metadata): CronTrigger[] {
  return (current.cron_triggers ?? []).filter((one) => !one.include_in_metadata);
}

/** No member where there are none. */
export function withTriggers(metadata: Metadata, cron_triggers: CronTrigger[]): Metadata {
  const { cron_triggers: _replaced, ...rest } = metadata;
  return cron_triggers.length === 0 ? rest : { ...rest, cron_triggers };
}
