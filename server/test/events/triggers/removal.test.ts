/** Triggers are removed while nodes claim their events and write outcomes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeTrigger } from '../../../src/events/capture/capture.ts';
import { runStatement } from '../../../src/postgres/sql/rows.ts';
import { type TriggerScene, triggerScene } from '../../support/events/trigger-scene.ts';

let scene: TriggerScene;

beforeAll(async () => {
  scene = await triggerScene('create table t (id int, k text)');
});
afterAll(() => scene.drop());

/** Claims events and writes outcomes until `ended`. */
async function deliver(ended: () => boolean): Promise<void> {
  const { query } = scene.connect();
  const lease = await scene.lease();
  while (!ended()) {
    const events = await scene.claim({ lease, query });
    await scene.settle(events.filter((_, index) => index % 3 > 0));
    await scene.settle(
      events.filter((_, index) => index % 3 === 0),
      { retry_ms: Date.now(), keep: false },
    );
  }
}

test('a removal waits for claims and outcomes of several triggers, and none of them fails', async () => {
  let ended = false;
  const nodes = [1, 2, 3].map(() => deliver(() => ended));
  for (let round = 0; round < 20; round += 1) {
    const numbers = [
      await scene.capture({ table: 't' }),
      await scene.capture({ table: 't', orderingKey: ['k'] }),
      await scene.capture({ table: 't' }),
    ];
    await scene.run(`insert into t select n, n % 3 from generate_series(1, 40) n`);
    await scene.database.transaction(async (query) => {
      // As a change of the metadata does.
      await query({ text: 'select pg_advisory_xact_lock(1785687922, 1)', values: [] });
      await query({ text: 'select from joinery.triggers order by number for update', values: [] });
      for (const number of numbers) await runStatement(query, removeTrigger(number));
    });
  }
  ended = true;
  await Promise.all(nodes);
  expect(await scene.column('select count(*) from joinery.triggers')).toEqual(['0']);
});
