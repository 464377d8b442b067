/** Tasks that one node at a time runs for all. */
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';

const take = fixedStatement(['name', 'everyMs'], [], ({ name, everyMs }) => {
  return sql`insert into joinery.shared_tasks as t (name, taken_at) values (${name}, clock_timestamp())
    on conflict (name) do update set taken_at = excluded.taken_at
      where t.taken_at <= excluded.taken_at - ${everyMs} * interval '1 ms'
    returning 1`;
});

/** Whether this node runs the task now: no other took it within `everyMs`. */
export async function takeSharedTask(query: Query, name: string, everyMs: number): Promise<boolean> {
  return (await take.run(query, { name, everyMs })).rowCount > 0;
}
