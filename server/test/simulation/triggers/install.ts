/** The table of the simulation with two triggers, as the product installs them: the second delivers in the order of a key. */
import { addTrigger, captureStatements } from '../../../src/events/capture/capture.ts';
import { captureLevel, readCapturedTable } from '../../../src/events/capture/captured-table.ts';
import type { Database } from '../../../src/postgres/client/pool.ts';
import { queryRows, runStatement } from '../../../src/postgres/sql/rows.ts';

/** The numbers of the triggers. */
export const UNORDERED = 1;
export const ORDERED = 2;

const table = { schema: 'public', name: 'item' };

/** Creates the table `item` and its triggers. */
export async function installTriggers(database: Database): Promise<void> {
  const text = 'create table item (id integer primary key, key text not null, version integer not null)';
  await database.query({ text, values: [] });
  await database.transaction(async (query) => {
    const found = await readCapturedTable(query, table);
    if (found === undefined) throw new Error('there is no table');
    for (const number of [UNORDERED, ORDERED]) {
      const orderingKey = number === ORDERED ? ['key'] : undefined;
      const adding = addTrigger(`trigger ${number}`, table, orderingKey !== undefined);
      const [added] = await queryRows(query, adding, ['number']);
      if (Number(added?.number) !== number) throw new Error(`the trigger has the number ${added?.number}`);
      const statements = captureStatements(
        {
          number,
          table,
          operations: {
            insert: { payload: '*' },
            update: { payload: '*', listened: '*' },
            delete: { payload: '*' },
          },
          columns: found.columns,
          layout: found.layout,
          orderingKey,
          debounced: false,
          level: captureLevel(found, false),
          replication: false,
        },
        'simulation',
      );
      for (const statement of statements) await runStatement(query, statement);
    }
  });
}
