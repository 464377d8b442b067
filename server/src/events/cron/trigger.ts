/** Validates cron triggers and derives the columns of their events. */

import type { CronTrigger } from '@joinery/metadata/schema/events/cron-triggers';
import { RetryConf } from '@joinery/metadata/schema/events/retry';
import { targetDestination, webhookOrTargetRules } from '@joinery/metadata/schema/events/targets';
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
  deliveryColumn,
} from '../commands/checked-event.ts';
import { rejectArgument } from '../commands/rejected-argument.ts';
import { readSchedule } from './schedule.ts';

export interface TriggerError {
  readonly code: ErrorCode;
  /** Path in the trigger, such as `.schedule` or `.headers[0].value_from_env`. */
  readonly path: string;
  readonly reason: string;
}

/** Returns the first error of the trigger; undefined if it is valid. */
export function validateTrigger(trigger: CronTrigger, environment: Environment): TriggerError | undefined {
  const schedule = readSchedule(trigger.schedule, trigger.timezone ?? undefined);
  if ('reason' in schedule) {
    return { code: 'parse-failed', path: `.${schedule.member}`, reason: `the ${schedule.member} ${schedule.reason}` };
  }
  try {
    const [violated] = webhookOrTargetRules(trigger);
    if (violated !== undefined) rejectArgument(violated.message, violated.path);
    if (trigger.webhook !== undefined) checkWebhook(trigger.webhook, environment, []);
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

/** Returns the definition as stored with the plan. If it changes, the runs are planned again. */
export function definitionOf(trigger: CronTrigger): string {
  const { webhook = null, schedule, payload = null, headers, retry_conf, comment, timezone, catch_up } = trigger;
  const { body, signing, request_transform, target } = trigger;
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
    ...(target && { target }),
  });
}

/** The columns that all events of a trigger share. */
export interface RunTemplate {
  /** The destination of a target. */
  readonly webhook: string;
  readonly payload: string;
  readonly headers: string;
  readonly retry: ReturnType<typeof checkedRetry>;
  readonly comment: string | null;
  /** Largest lateness of the first call; null if only the tolerance limits it. */
  readonly catchUpSeconds: number | null;
  readonly delivery: string | null;
}

/** A run that is later than this was missed: the shortest interval of two runs. */
const MISSED_SECONDS = 60;

export function templateOf(trigger: CronTrigger): RunTemplate {
  return {
    webhook: trigger.target ? targetDestination(trigger.target) : (trigger.webhook ?? ''),
    payload: printJson(trigger.payload ?? null),
    headers: printJson(trigger.headers ?? []),
    retry: checkedRetry(trigger.retry_conf ?? RetryConf.parse({})),
    comment: trigger.comment ?? null,
    catchUpSeconds: trigger.catch_up === false ? MISSED_SECONDS : null,
    delivery: deliveryColumn(trigger),
  };
}
