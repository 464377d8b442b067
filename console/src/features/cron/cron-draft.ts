/** Draft of a cron trigger and its arguments. Pure. */
import type { ListedCronTrigger } from '@joinery/metadata/api/events/cron';
import { printPretty } from '../../api/exact-json.ts';
import { deliveryOf } from '../../shared/event-form/delivery-draft.ts';
import { type Draft, emptyDraft, type FieldName, fieldAt, partsOf } from '../../shared/event-form/event-draft.ts';
import { retryDraftOf } from '../../shared/event-form/retry-settings.ts';
import { headersOf } from '../../shared/headers/header-draft.ts';
import { targetDraftOf } from '../../shared/targets/target-draft.ts';

export interface CronDraft {
  readonly name: string;
  readonly schedule: string;
  readonly timezone: string;
  readonly includeInMetadata: boolean;
  readonly catchUp: boolean;
  /** The request options, as for events, without time and keys. */
  readonly call: Draft;
  /** Members without an input, which are preserved. */
  readonly preserved: Readonly<Record<string, unknown>>;
}

export type CronField = 'name' | 'schedule' | 'timezone' | FieldName;
export type CronProblems = ReadonlyMap<CronField, string>;

export function emptyCronDraft(): CronDraft {
  return {
    name: '',
    schedule: '',
    timezone: 'UTC',
    includeInMetadata: true,
    catchUp: true,
    call: emptyDraft(),
    preserved: {},
  };
}

export function cronDraftOf(trigger: ListedCronTrigger): CronDraft {
  const { name, schedule, timezone, include_in_metadata, catch_up, payload, headers, retry_conf, ...other } = trigger;
  const { webhook = '', target, ...more } = other;
  const { comment = '', body, signing, request_transform, ...preserved } = more;
  const empty = emptyDraft();
  const { num_retries, retry_interval_seconds, timeout_seconds, tolerance_seconds } = retry_conf;
  return {
    name,
    schedule,
    timezone,
    includeInMetadata: include_in_metadata,
    catchUp: catch_up,
    call: {
      ...empty,
      webhook,
      target: target && targetDraftOf(target),
      payload: printPretty(payload),
      headers: headersOf(headers),
      retry: {
        num_retries: String(num_retries),
        retry_interval_seconds: String(retry_interval_seconds),
        timeout_seconds: String(timeout_seconds),
        tolerance_seconds: String(tolerance_seconds),
      },
      rules: retryDraftOf(retry_conf),
      delivery: deliveryOf({ body, signing, request_transform }),
      comment,
    },
    preserved,
  };
}

/** Returns the arguments of `create_cron_trigger` as JSON text. `replace` updates the trigger of this name. */
export function readCronDraft(
  draft: CronDraft,
  replace: boolean,
): { readonly args: string } | { readonly problems: CronProblems } {
  const { args, problems: found } = partsOf(draft.call, 0);
  const problems = new Map<CronField, string>(found);
  if (draft.name.trim() === '') problems.set('name', 'must not be empty');
  if (draft.schedule.trim() === '') problems.set('schedule', 'must not be empty: five fields, such as 0 2 * * *');
  if (problems.size > 0) return { problems };
  const { schedule_at: _time, key: _key, ordering_key: _orderingKey, ...call } = args;
  const sent = {
    ...draft.preserved,
    name: draft.name.trim(),
    schedule: draft.schedule.trim(),
    timezone: draft.timezone,
    include_in_metadata: draft.includeInMetadata,
    catch_up: draft.catchUp,
    ...call,
    replace,
  };
  return { args: `${JSON.stringify(sent).slice(0, -1)},"payload":${draft.call.payload}}` };
}

/** Returns the field of a path in an error. */
export function cronFieldAt(path: string, draft: CronDraft): CronField | undefined {
  const own = (['name', 'schedule', 'timezone'] as const).find((field) => new RegExp(`\\.${field}$`).test(path));
  const inner = path.replace(/^.*cron_triggers(\[\d+\]|\.\w+)?/, '$');
  return own ?? fieldAt(path, draft.call) ?? fieldAt(inner, draft.call);
}
