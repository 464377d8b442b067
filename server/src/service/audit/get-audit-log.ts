/** `get_audit_log`: pages of the audit log, searched. */
import { type AuditEntry, type AuditLog, GetAuditLog } from '@joinery/metadata/api/audit';
import { queryRows } from '../../postgres/sql/rows.ts';
import { integer, join, type Sql, sql, value } from '../../postgres/sql/sql.ts';
import { readCommand } from '../commands/command.ts';
import type { CommandResult, ServiceCommand } from '../metadata/command-context.ts';

const columns = [
  ...(['id', 'at', 'author', 'address', 'request_id', 'command', 'arguments'] as const),
  ...(['code', 'error', 'duration_ms'] as const),
];

export const getAuditLog: ServiceCommand<CommandResult<'get_audit_log'>> = readCommand(
  GetAuditLog,
  async (args, _progress, { tools }): Promise<AuditLog> => {
    await tools.audit?.flush();
    const { limit } = args;
    const rows = await queryRows(
      tools.store.database.query,
      sql`select id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, author, address, request_id,
          command, arguments, code, error, duration_ms
        from joinery.audit_log where ${join(conditions(args), ' and ')}
        order by id desc limit ${integer(limit + 1)}`,
      columns,
    );
    const entries = rows.slice(0, limit).map(
      (row): AuditEntry => ({
        id: row.id ?? '',
        at: row.at ?? '',
        author: row.author ?? '',
        address: row.address,
        request_id: row.request_id ?? '',
        command: row.command ?? '',
        arguments: row.arguments ?? '',
        outcome: row.code === null ? 'success' : 'error',
        code: row.code,
        error: row.error,
        duration_ms: Number(row.duration_ms),
      }),
    );
    const next = rows.length > limit ? entries.at(-1)?.id : undefined;
    return { entries, ...(next !== undefined && { next }), retention_days: tools.audit?.retentionDays ?? 0 };
  },
);

type Search = Pick<
  ReturnType<typeof GetAuditLog.parse>,
  'before' | 'from' | 'to' | 'author' | 'command' | 'outcome' | 'search'
>;

function conditions({ before, from, to, author, command, outcome, search }: Search): readonly Sql[] {
  const found: (Sql | undefined)[] = [
    before === undefined ? undefined : sql`id < ${value(before)}::bigint`,
    from === undefined ? undefined : sql`at >= ${value(from)}::timestamptz`,
    to === undefined ? undefined : sql`at < ${value(to)}::timestamptz`,
    author === undefined ? undefined : sql`author = ${value(author)}`,
    command === undefined ? undefined : sql`command = ${value(command)}`,
    outcome === undefined ? undefined : outcome === 'success' ? sql`code is null` : sql`code is not null`,
    search === undefined || search === ''
      ? undefined
      : sql`position(lower(${value(search)}::text) in lower(concat_ws(' ', author, address, request_id, command, arguments, code, error))) > 0`,
  ];
  return [sql`true`, ...found.filter((one) => one !== undefined)];
}
