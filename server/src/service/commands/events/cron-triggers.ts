/** The commands that list cron triggers and preview a schedule. Those that change triggers are edits of the metadata. */

import type { ListedCronTrigger } from '@joinery/metadata/api/events/cron';
import { PreviewCronSchedule } from '@joinery/metadata/api/events/cron';
import { NoArguments } from '@joinery/metadata/api/metadata';
import type { CronTrigger } from '@joinery/metadata/schema/events/cron-triggers';
import { RetryConf } from '@joinery/metadata/schema/events/retry';
import { previewCronSchedule } from '../../../events/cron/preview.ts';
import type { ServiceCommands } from '../../metadata/command-context.ts';
import { readCommand } from '../command.ts';

export const cronCommands: ServiceCommands<'get_cron_triggers' | 'preview_cron_schedule'> = {
  get_cron_triggers: readCommand(NoArguments, (_args, { state }) => ({
    cron_triggers: (state.metadata.cron_triggers ?? []).map(describeTrigger),
  })),
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
  };
}
