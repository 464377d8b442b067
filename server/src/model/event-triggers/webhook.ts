/** Validates how the webhook of an event trigger is called. */
import { defaultRetryConf, type EventTrigger } from '@joinery/metadata/event-triggers/schema';
import { targetDestination } from '@joinery/metadata/schema/events/targets';
import type { Environment } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import { readRequestTransform, readResponseTransform, TemplateError } from '../../base/templates/transform.ts';
import { checkDelivery, checkHeaders, checkWebhook } from '../../events/commands/checked-event.ts';
import { readSchedule } from '../../events/cron/schedule.ts';
import { parseTarget } from '../../events/targets/target.ts';
import type { TriggerWebhook } from '../types/event-trigger.ts';

/** Throws a ServiceError with a path in the trigger, which is `$`. */
export function readWebhook(trigger: EventTrigger, environment: Environment): TriggerWebhook {
  const { webhook, webhook_from_env: variable, retry_conf, request_transform, response_transform } = trigger;
  const headers = trigger.headers ?? [];
  const target = trigger.target ?? undefined;
  const called = target === undefined ? (webhook ?? '') : targetDestination(target);
  const url = variable ? { fromEnv: variable } : { template: called };
  located(variable ? 'webhook_from_env' : undefined, () => {
    if (target === undefined) checkWebhook('fromEnv' in url ? `{{${url.fromEnv}}}` : url.template, environment, []);
  });
  located(undefined, () => {
    checkHeaders(headers, environment, []);
    checkDelivery({ signing: trigger.signing }, environment, []);
  });
  return {
    target: target && parsed('target', () => parseTarget(target)),
    url,
    headers,
    retry: {
      ...(retry_conf ?? defaultRetryConf),
      timeout_sec: retry_conf?.timeout_sec ?? defaultRetryConf.timeout_sec,
    },
    requestTransform: request_transform
      ? parsed('request_transform', () => readRequestTransform(request_transform))
      : undefined,
    responseTransform: response_transform
      ? parsed('response_transform', () => readResponseTransform(response_transform))
      : undefined,
    signing: trigger.signing ?? undefined,
  };
}

/** Returns why the schedule of cleanups is invalid. */
export function scheduleError(schedule: string): string | undefined {
  const read = readSchedule(schedule);
  return 'reason' in read ? `the schedule ${read.reason}` : undefined;
}

/** Runs `check`, whose errors have paths below `$.args`; `member` replaces the name of the argument. */
function located(member: string | undefined, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const inside = error.path.replace(/^\$\.args/, '');
    const name = member ?? /^\.(\w+)/.exec(inside)?.[1] ?? '';
    const path = member === undefined ? `$${inside}` : `$.${member}`;
    const message = /^the |^environment /.test(error.message) ? error.message : `its ${name} ${error.message}`;
    throw new ServiceError(error.code, message, { path });
  }
}

/** Runs `parse`; an invalid template is `validation-failed`, as in Hasura v2. */
function parsed<Result>(member: string, parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    const [issue] = error instanceof TemplateError ? error.issues : [];
    if (issue === undefined) throw error;
    throw new ServiceError('validation-failed', issue.message, { path: `$.${member}${issue.path}` });
  }
}
