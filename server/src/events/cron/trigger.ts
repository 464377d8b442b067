/** A cron trigger, read and checked: what is wrong with it, or the events that it makes. */

import type { CronTrigger } from '@joinery/metadata/schema/cron-triggers';
import { RetryConf } from '@joinery/metadata/schema/retry';
import type { Environment } from '../../base/environment.ts';
import { type ErrorCode, ServiceError } from '../../base/errors.ts';
import { printJson } from '../../base/json-value.ts';
import {
  checkComment,
  checkDelivery,
  checkedRetry,
  checkHeaders,
  checkPayload,
  checkWebhook,
  writtenDelivery,
} from '../commands/checked-event.ts';
import { readSchedule } from './schedule.ts';

export interface TriggerError {
  readonly code: ErrorCode;
  /** Below the trigger: `.schedule`, `.headers[0].value_from_env`. */
  readonly path: string;
  readonly reason: string;
}

/** What keeps the trigger from working; undefined when nothing does. */
export function validateTrigger(trigger: CronTrigger, environment: Environment): TriggerError | undefined {
  const schedule = readSchedule(trigger.schedule, trigger.timezone ?? undefined);
  if ('reason' in schedule) {
    return { code: 'parse-failed', path: `.${schedule.member}`, reason: `the ${schedule.member} ${schedule.reason}` };
  }
  try {
    checkWebhook(trigger.webhook, environment, []);
    checkHeaders(trigger.headers ?? [], environment, []);
    checkPayload(trigger.payload ?? null, []);
    checkDelivery(trigger, environment, []);
    checkComment(trigger.comment, []);
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const member = /^\$\.args\.(\w+)/.exec(error.path)?.[1] ?? '';
    const reason = /^the |^environment /.test(error.message) ? error.message : `its ${member} ${error.message}`;
    return { code: error.code, path: error.path.replace(/^\$\.args/, ''), reason };
  }
}

/** As the table of plans has it: another text means that its runs have to be planned anew. */
export function definitionOf(trigger: CronTrigger): string {
  const { webhook, schedule, payload = null, headers, retry_conf, comment, timezone, catch_up } = trigger;
  const { body, signing, request_transform } = trigger;
  return printJson({
    webhook,
    schedule,
    payload,
    headers: headers ?? [],
    retry_conf: retry_conf ?? {},
    comment: comment ?? null,
    timezone: timezone ?? null,
    catch_up: catch_up ?? true,
    ...(body && { body }),
    ...(signing !== undefined && signing !== null && { signing }),
    ...(request_transform && { request_transform }),
  });
}

/** What is the same in all events of a trigger, as the columns have it. */
export interface RunTemplate {
  readonly webhook: string;
  readonly payload: string;
  readonly headers: string;
  readonly retry: ReturnType<typeof checkedRetry>;
  readonly comment: string | null;
  /** How late the first call may be; null where that is up to the tolerance. */
  readonly catchUpSeconds: number | null;
  readonly delivery: string | null;
}

/** A run that is later than this was missed. The shortest distance of two runs. */
const MISSED_SECONDS = 60;

export function templateOf(trigger: CronTrigger): RunTemplate {
  return {
    webhook: trigger.webhook,
    payload: printJson(trigger.payload ?? null),
    headers: printJson(trigger.headers ?? []),
    retry: checkedRetry(trigger.retry_conf ?? RetryConf.parse({})),
    comment: trigger.comment ?? null,
    catchUpSeconds: trigger.catch_up === false ? MISSED_SECONDS : null,
    delivery: writtenDelivery(trigger),
  };
}
