/** The table of the simulation with a trigger that delivers batches, and one that delivers the last change of a key in a window. */
import { addTrigger, captureStatements } from '../../../src/events/capture/capture.ts';
import { captureLevel, readCapturedTable } from '../../../src/events/capture/captured-table.ts';
import type { Database } from '../../../src/postgres/client/pool.ts';
import { queryRows, runStatement } from '../../../src/postgres/sql/rows.ts';
import { sql, value } from '../../../src/postgres/sql/sql.ts';

/** The numbers of the triggers, after those of the table `item`. */
export const BATCHED = 3;
export const DEBOUNCED = 4;

/** The window of a debounce, in milliseconds. */
const WINDOW_MS = 1_500;

const table = { schema: 'public', name: 'bulk' };

/** Drops the segments of an earlier simulation, and captures into the first ones again. */
export const firstSegments = `
do $$
declare
  one record;
begin
  for one in
    select c.oid::regclass as name from pg_class c
    where c.relnamespace = 'joinery'::regnamespace and c.relkind = 'r'
      and c.relname ~ '^trigger_(${BATCHED}|${DEBOUNCED})_(log_)?s([2-9]|dd+)(_packed)?$'
  loop
    execute format('drop table %s', one.name);
  end loop;
  for one in select t.number, t.capture from joinery.triggers t where t.number in (${BATCHED}, ${DEBOUNCED}) loop
    execute array_to_string(one.capture, format('joinery.trigger_%s_s1', one.number));
  end loop;
end $$`;

/** Creates the table `bulk` and its triggers. */
export async function installBatches(database: Database): Promise<void> {
  const text = 'create table bulk (id integer primary key, key text not null, version integer not null)';
  await database.query({ text, values: [] });
  await database.transaction(async (query) => {
    const found = await readCapturedTable(query, table);
    if (found === undefined) throw new Error('there is no table');
    for (const number of [BATCHED, DEBOUNCED]) {
      const debounced = number === DEBOUNCED;
      const [added] = await queryRows(query, addTrigger(`trigger ${number}`, table, debounced), ['number']);
      if (Number(added?.number) !== number) throw new Error(`the trigger has the number ${added?.number}`);
      const statements = captureStatements(
        {
          number,
          table,
          operations: { insert: { payload: '*' }, update: { payload: '*', listened: '*' } },
          columns: found.columns,
          layout: found.layout,
          orderingKey: debounced ? ['key'] : undefined,
          debounced,
          level: captureLevel(found, false),
          replication: false,
        },
        'simulation',
      );
      for (const statement of statements) await runStatement(query, statement);
    }
    await runStatement(
      query,
      sql`update joinery.triggers set debounce_ms = ${value(WINDOW_MS)}::integer where number = ${value(DEBOUNCED)}`,
    );
  });
}
