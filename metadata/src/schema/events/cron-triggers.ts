/** Cron triggers as written: webhooks, operations and functions that are called on a schedule. */
import { z } from 'zod';
import { StorableText } from '../../sql/storable.ts';
import { closedObject, unsupported } from '../members.ts';
import { UrlTemplate } from '../urls.ts';
import { EventHeader, eventDelivery } from './delivery.ts';
import { RetryConf } from './retry.ts';
import { CallTarget } from './targets.ts';

const CronTriggerName = StorableText.min(1, 'must not be empty').max(255);

export const CronTrigger = closedObject({
  name: CronTriggerName,
  /** An http or https URL; may contain `{{NAME}}` templates. */
  webhook: UrlTemplate.min(1).max(8_000).optional(),
  /** What is called in place of a webhook. */
  target: CallTarget.nullish(),
  /** Five fields (minute, hour, day, month, day of the week), or an alias such as `@daily`. */
  schedule: z.string(),
  /** False excludes the trigger from exports; it stays when the metadata is replaced or cleared. */
  include_in_metadata: z.boolean(),
  payload: z.unknown().optional(),
  headers: z.array(EventHeader).max(100).nullish(),
  retry_conf: RetryConf.nullish(),
  comment: z.string().max(10_000).nullish(),
  /** Name in the IANA database. Default UTC. */
  timezone: z.string().nullish(),
  /** Whether missed runs within the tolerance are delivered late. Default true. */
  catch_up: z.boolean().nullish(),
  /** While it is true, no run is planned. */
  paused: z.boolean().nullish(),
  ...eventDelivery,
  response_transform: unsupported('responses to cron triggers are logged as they are'),
});
export type CronTrigger = z.infer<typeof CronTrigger>;
