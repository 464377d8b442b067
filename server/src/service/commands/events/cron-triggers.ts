/** The commands that list cron triggers and look at a schedule. Those that change triggers are edits of the metadata. */

import type { CronTrigger } from '@joinery/metadata/schema/cron-triggers';
import { RetryConf } from '@joinery/metadata/schema/retry';
import { previewCronSchedule } from '../../../events/cron/preview.ts';
import { metadataApis, type ServiceCommand } from '../../metadata/command-context.ts';
import { noArguments } from '../metadata.ts';

export const cronCommands: ReadonlyMap<string, ServiceCommand> = new Map([
  [
    'get_cron_triggers',
    {
      apis: metadataApis,
      changes: () => false,
      run: async ({ args }, progress) => {
        noArguments(args);
        return { progress, answer: { cron_triggers: (progress.state.metadata.cron_triggers ?? []).map(shown) } };
      },
    },
  ],
  [
    'preview_cron_schedule',
    {
      apis: metadataApis,
      changes: () => false,
      run: async ({ args }, progress) => ({ progress, answer: previewCronSchedule(args, Date.now()) }),
    },
  ],
]);

/** With all that has a default. */
function shown(trigger: CronTrigger): Readonly<Record<string, unknown>> {
  const { name, webhook, schedule, include_in_metadata, payload, headers, retry_conf, comment, ...more } = trigger;
  return {
    name,
    webhook,
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
