/** Keeps the runs of cron triggers planned: with each change of the triggers, and as time goes by. */
import { exportMetadata } from '@joinery/metadata/document/export';
import type { Metadata } from '@joinery/metadata/metadata';
import { printJson } from '../../../base/json-value.ts';
import type { Observe } from '../../../base/telemetry/observe.ts';
import { needsPlanning, planTriggers } from '../../../events/cron/plan.ts';
import type { Store } from '../../metadata/store.ts';

/** Whether the triggers of the two are written the same, so that what is planned of them holds. */
export function sameTriggers(one: Metadata, other: Metadata): boolean {
  return one.cron_triggers === other.cron_triggers || written(one) === written(other);
}

function written(metadata: Metadata): string {
  return printJson(exportMetadata({ version: 3, sources: [], cron_triggers: metadata.cron_triggers ?? [] }));
}

/**
 * Plans what has to be planned by now. Nothing happens where this node's metadata is not the newest: whoever has that
 * plans, and this node soon has it too.
 *
 * @param aheadMs plan as far as if it were so much later
 */
export async function planDue(store: Store, version: number, metadata: Metadata, aheadMs = 0): Promise<void> {
  const triggers = metadata.cron_triggers ?? [];
  if (!(await needsPlanning(store.database.query, triggers, aheadMs))) return;
  await store.database.transaction(async (query) => {
    const mark = await store.lock(query);
    if (mark.version === version) await planTriggers(query, triggers, aheadMs);
  });
}

/** The next runs are planned long before they come, so that a look now and then is enough. */
const LOOK_EVERY_MS = 15_000;

export interface CronPlanner {
  /** Looks at once. */
  start(): void;
  stop(): Promise<void>;
}

/** @param plan must not be called twice at a time; may reject */
export function createCronPlanner(plan: () => Promise<void>, observe: Observe, everyMs = LOOK_EVERY_MS): CronPlanner {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let running: Promise<void> | undefined;

  async function look(): Promise<void> {
    await plan().catch((error: unknown) => observe({ kind: 'failure', where: 'planning cron triggers', error }));
    if (!stopped) timer = setTimeout(begin, everyMs);
  }

  function begin(): void {
    running = look();
  }

  return {
    start: begin,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
