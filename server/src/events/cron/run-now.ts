/** Runs a cron trigger once, at once. */
import type { CreatedEvent } from '@joinery/metadata/api/events/events';
import type { Success } from '@joinery/metadata/api/success';
import type { CronTrigger } from '@joinery/metadata/schema/events/cron-triggers';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';
import { isoTime } from '../types/pending-event.ts';
import { utc } from '../webhook/envelope.ts';
import { templateOf } from './trigger.ts';

const inputs = [
  'name',
  'webhook',
  'payload',
  'headers',
  'numRetries',
  'retryIntervalSeconds',
  'timeoutSeconds',
  'toleranceSeconds',
  'policy',
  'comment',
  'delivery',
] as const;

const insert = fixedStatement(inputs, ['id', 'time'], (given) => {
  return sql`with inserted as (
      insert into joinery.scheduled_events (
        webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds, timeout_seconds, tolerance_seconds,
        retry_policy, comment, trigger_name, delivery
      ) values (
        ${given.webhook}, joinery.event_now(), ${given.payload}::json, ${given.headers}::json, ${given.numRetries}::integer,
        ${given.retryIntervalSeconds}::integer, ${given.timeoutSeconds}::integer, ${given.toleranceSeconds}::integer,
        ${given.policy}::json, ${given.comment}, ${given.name}::text, ${given.delivery}::json
      ) returning id, schedule_at
    )
    select id, ${isoTime(sql`schedule_at`)} as time, joinery.wake_event_nodes() from inserted`;
});

/** Creates a run that is due now, also of a paused trigger: `{ message: "success", event_id, scheduled_time }`. */
export async function runCronTrigger(query: Query, trigger: CronTrigger): Promise<CreatedEvent & Success> {
  const { retry, catchUpSeconds: _limit, ...template } = templateOf(trigger);
  const row = await insert.row(query, { name: trigger.name, ...template, ...retry });
  return { message: 'success', event_id: row?.id ?? '', scheduled_time: utc(row?.time ?? '') };
}
