/** Plans the events of cron triggers: with each change of the triggers, and at intervals. */
import { exportMetadata } from '@joinery/metadata/document/export';
import type { Metadata } from '@joinery/metadata/metadata';
import { printJson } from '../../../base/json-value.ts';
import type { Observe } from '../../../base/telemetry/observe.ts';
import { needsPlanning, planTriggers } from '../../../events/cron/plan.ts';
import type { Mark, Store } from '../../metadata/store.ts';

/** Whether the cron triggers of the two are equal, so that their planned events stay valid. */
export function sameTriggers(one: Metadata, other: Metadata): boolean {
  return one.cron_triggers === other.cron_triggers || written(one) === written(other);
}

function written(metadata: Metadata): string {
  return printJson(exportMetadata({ version: 3, sources: [], cron_triggers: metadata.cron_triggers ?? [] }));
}

/**
 * Plans the next events. Does nothing where this node's metadata is not the latest: a node with the latest plans.
 *
 * @param known the mark of `metadata`. Its version alone may be that of other metadata, after a failover that has lost the last commits.
 * @param aheadMs plans as if it were so much later
 */
export async function planDue(store: Store, known: Mark, metadata: Metadata, aheadMs = 0): Promise<void> {
  const triggers = metadata.cron_triggers ?? [];
  if (!(await needsPlanning(store.database.query, triggers, aheadMs))) return;
  await store.database.transaction(async (query) => {
    const { touched } = await store.lock(query);
    if (touched === known.touched) await planTriggers(query, triggers, aheadMs);
  });
}

/** Events are planned long before they are due, so that this may be long. */
const PLAN_INTERVAL_MS = 15_000;

export interface CronPlanner {
  /** Plans at once, then at intervals. */
  start(): void;
  stop(): Promise<void>;
}

/** @param plan must not be called twice at a time; may reject */
export function createCronPlanner(
  plan: () => Promise<void>,
  observe: Observe,
  everyMs = PLAN_INTERVAL_MS,
): CronPlanner {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let running: Promise<void> | undefined;

  async function planOnce(): Promise<void> {
    await plan().catch((error: unknown) => observe({ kind: 'failure', where: 'planning cron triggers', error }));
    if (!stopped) timer = setTimeout(begin, everyMs);
  }

  function begin(): void {
    running = planOnce();
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
