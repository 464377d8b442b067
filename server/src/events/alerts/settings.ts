/** The commands that list, set and delete alerts. */
import {
  type Alert,
  AlertRule,
  type Alerts,
  type DeleteAlert,
  type SetAlert,
} from '@joinery/metadata/api/events/alerts';
import type { ListedHeader } from '@joinery/metadata/api/events/events';
import type { Success } from '@joinery/metadata/api/success';
import type { Environment } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import { parseJson } from '../../base/json-value.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';
import { checkHeaders, checkWebhook } from '../commands/checked-event.ts';
import { isoTime } from '../types/pending-event.ts';
import { utc } from '../webhook/envelope.ts';

/** Bounds the work of a check. */
const MOST_ALERTS = 100;

const columns = [
  'name',
  'rule',
  'destination',
  'webhook',
  'headers',
  'enabled',
  'active_since',
  'value',
  'checked_at',
] as const;

const list = fixedStatement([], columns, () => {
  return sql`select name, rule, destination, webhook, headers, enabled, ${isoTime(sql`active_since`)} as active_since, value,
      ${isoTime(sql`checked_at`)} as checked_at
    from joinery.alerts order by name`;
});

export async function getAlerts(query: Query): Promise<Alerts> {
  const rows = await list.rows(query, {});
  return {
    alerts: rows.map(
      (row): Alert => ({
        name: row.name ?? '',
        rule: AlertRule.parse(parseJson(row.rule ?? '')),
        destination: row.destination,
        webhook: row.webhook ?? '',
        headers: parseJson(row.headers ?? '[]') as readonly ListedHeader[],
        enabled: row.enabled === 't',
        active_since: row.active_since === null ? null : utc(row.active_since),
        value: row.value === null ? null : Number(row.value),
        checked_at: row.checked_at === null ? null : utc(row.checked_at),
      }),
    ),
  };
}

const count = fixedStatement(['name'], ['others'], ({ name }) => {
  return sql`select count(*) as others from joinery.alerts where name <> ${name}`;
});

/** A changed condition is checked anew. A change of the receiver alone keeps the state. */
const write = fixedStatement(
  ['name', 'rule', 'destination', 'webhook', 'headers', 'enabled'],
  [],
  ({ name, rule, destination, webhook, headers, enabled }) => {
    return sql`insert into joinery.alerts as a (name, rule, destination, webhook, headers, enabled)
      values (${name}, ${rule}::json, ${destination}, ${webhook}, ${headers}::json, ${enabled}::boolean)
      on conflict (name) do update set rule = excluded.rule, destination = excluded.destination, webhook = excluded.webhook,
        headers = excluded.headers, enabled = excluded.enabled,
        active_since = case when a.rule::text = excluded.rule::text and a.destination is not distinct from excluded.destination
          and excluded.enabled then a.active_since end,
        value = null, checked_at = null`;
  },
);

/** Creates or replaces an alert. Throws `parse-failed` with the path of the argument. */
export async function setAlert(query: Query, alert: SetAlert, environment: Environment): Promise<Success> {
  const { name, rule, destination = null, webhook, headers, enabled } = alert;
  checkWebhook(webhook, environment, []);
  checkHeaders(headers, environment, []);
  if (Number((await count.row(query, { name }))?.others) >= MOST_ALERTS) {
    throw new ServiceError('parse-failed', `there are ${MOST_ALERTS} alerts already, which is the largest number`, {
      path: '$.args.name',
    });
  }
  const texts = { rule: JSON.stringify(rule), headers: JSON.stringify(headers) };
  await write.run(query, { name, destination, webhook, enabled, ...texts });
  return { message: 'success' };
}

const remove = fixedStatement(
  ['name'],
  [],
  ({ name }) => sql`delete from joinery.alerts where name = ${name} returning 1`,
);

/** Throws `not-exists`. */
export async function deleteAlert(query: Query, { name }: DeleteAlert): Promise<Success> {
  if ((await remove.run(query, { name })).rowCount > 0) return { message: 'success' };
  throw new ServiceError('not-exists', `there is no alert named "${name}"`, { path: '$.args.name' });
}
