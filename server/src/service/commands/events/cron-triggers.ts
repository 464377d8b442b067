/** The commands that list cron triggers with their runs, run one at once, and preview a schedule. Those that change triggers are edits of the metadata. */

import type { ListedCronTrigger } from '@joinery/metadata/api/events/cron';
import { PreviewCronSchedule, RunCronTrigger } from '@joinery/metadata/api/events/cron';
import { NoArguments } from '@joinery/metadata/api/metadata';
import type { CronTrigger } from '@joinery/metadata/schema/events/cron-triggers';
import { RetryConf } from '@joinery/metadata/schema/events/retry';
import { ServiceError } from '../../../base/errors.ts';
import { previewCronSchedule } from '../../../events/cron/preview.ts';
import { runCronTrigger } from '../../../events/cron/run-now.ts';
import { cronTriggerStats } from '../../../events/cron/statistics.ts';
import { eventQuery, type ServiceCommands } from '../../metadata/command-context.ts';
import { readCommand, showCommand } from '../command.ts';

export const cronCommands: ServiceCommands<
  'get_cron_triggers' | 'get_cron_trigger_stats' | 'preview_cron_schedule' | 'run_cron_trigger'
> = {
  get_cron_triggers: showCommand(NoArguments, (_args, { state }) => ({
    cron_triggers: (state.metadata.cron_triggers ?? []).map(describeTrigger),
  })),
  get_cron_trigger_stats: readCommand(NoArguments, async (_args, { state }, { alone, unit, tools: { store } }) => {
    const query = alone ? store.database.query : await unit.query(store.database);
    return { triggers: await cronTriggerStats(query, state.metadata.cron_triggers ?? []) };
  }),
  run_cron_trigger: readCommand(RunCronTrigger, async ({ name }, { state }, context) => {
    const trigger = state.metadata.cron_triggers?.find((one) => one.name === name);
    if (trigger !== undefined) return runCronTrigger(await eventQuery(context), trigger);
    throw new ServiceError('not-exists', `cron trigger with name: ${name} does not exist`, { path: '$.args.name' });
  }),
  preview_cron_schedule: readCommand(PreviewCronSchedule, (args) => previewCronSchedule(args, Date.now())),
};

/** The trigger with its defaults filled in. */
function describeTrigger(trigger: CronTrigger): ListedCronTrigger {
  const { name, webhook, target, schedule, include_in_metadata, payload, headers, retry_conf, comment, ...more } =
    trigger;
  return {
    name,
    ...(webhook !== undefined && { webhook }),
    ...(target && { target }),
    schedule,
    payload: payload ?? null,
    retry_conf: retry_conf ?? RetryConf.parse({}),
    headers: headers ?? [],
    include_in_metadata,
    ...(typeof comment === 'string' && { comment }),
    timezone: more.timezone ?? 'UTC',
    catch_up: more.catch_up ?? true,
    ...(more.paused === true && { paused: true as const }),
  };
}
