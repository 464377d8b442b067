/** `get_action_runs` and `get_action_run`: the runs of asynchronous actions with the calls of their handlers, for admins. */
import {
  type ActionCall,
  type ActionRun,
  type ActionRunStatus,
  type ActionRuns,
  GetActionRun,
  GetActionRuns,
  type LoggedActionRun,
} from '@joinery/metadata/api/action-runs';
import { ServiceError } from '../../base/errors.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { queryRows } from '../../postgres/sql/rows.ts';
import { integer, join, type Sql, sql, value } from '../../postgres/sql/sql.ts';
import { readCommand } from '../commands/command.ts';
import type { CommandContext, CommandResult, ServiceCommand } from '../metadata/command-context.ts';

const columns = [
  ...(['id', 'action_name', 'status', 'created_at', 'finished_at', 'next_call_at', 'tries', 'error'] as const),
];

const time = (column: Sql): Sql => sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const shown = sql`l.id, l.action_name, l.status, ${time(sql`l.created_at`)} as created_at,
  ${time(sql`l.response_received_at`)} as finished_at,
  case when l.status = 'created' then ${time(sql`l.due_at`)} end as next_call_at, l.tries, l.errors ->> 'error' as error`;

export const getActionRuns: ServiceCommand<CommandResult<'get_action_runs'>> = readCommand(
  GetActionRuns,
  async ({ name, limit, before, status }, _progress, context): Promise<ActionRuns> => {
    const conditions = [sql`l.action_name = ${value(name)}`];
    if (status !== undefined) conditions.push(sql`l.status = any (${value(status)}::text[])`);
    if (before !== undefined) conditions.push(sql`(l.created_at, l.id) < ${positionOf(before)}`);
    const rows = await queryRows(
      await queryOf(context),
      sql`select ${shown} from joinery.action_log l where ${join(conditions, ' and ')}
        order by l.created_at desc, l.id desc limit ${integer(limit + 1)}`,
      columns,
    );
    const runs = rows.slice(0, limit).map(runOf);
    const last = runs.at(-1);
    return { runs, ...(rows.length > limit && last !== undefined && { next: `${last.created_at} ${last.id}` }) };
  },
);

export const getActionRun: ServiceCommand<CommandResult<'get_action_run'>> = readCommand(
  GetActionRun,
  async ({ id }, _progress, context): Promise<LoggedActionRun> => {
    const [row] = await queryRows(
      await queryOf(context),
      sql`select ${shown}, l.calls from joinery.action_log l where l.id = ${value(id)}::uuid`,
      [...columns, 'calls'],
    );
    if (row === undefined) {
      throw new ServiceError('not-exists', `there is no run with the id "${id}"`, { path: '$.args.id' });
    }
    return { ...runOf(row), calls: JSON.parse(row.calls ?? '[]') as readonly ActionCall[] };
  },
);

/** Reads use the pool of the metadata; in a bulk, its transaction. */
async function queryOf({ alone, unit, tools: { store } }: CommandContext): Promise<Query> {
  return alone ? store.database.query : unit.query(store.database);
}

function positionOf(cursor: string): Sql {
  const [at = '', id = ''] = cursor.split(' ');
  return sql`(${value(at)}::timestamptz, ${value(id)}::uuid)`;
}

function runOf(row: Readonly<Record<(typeof columns)[number], string | null>>): ActionRun {
  return {
    id: row.id ?? '',
    action: row.action_name ?? '',
    status: row.status as ActionRunStatus,
    created_at: row.created_at ?? '',
    finished_at: row.finished_at,
    next_call_at: row.next_call_at,
    tries: Number(row.tries),
    error: row.error,
  };
}
