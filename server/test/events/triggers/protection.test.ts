/** SQL clients that may write the table of the user, and are not trusted: what they can change of event triggers. */
import { afterEach, describe, expect, test } from 'vitest';
import { type ClaimedRow, type TriggerScene, triggerScene } from '../../support/events/trigger-scene.ts';

const scenes: TriggerScene[] = [];

afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.drop();
});

async function ordered(): Promise<TriggerScene> {
  const created = await triggerScene('create table t (id int primary key, k text); create table u (id int, k text)');
  scenes.push(created);
  await created.capture({ table: 't', orderingKey: ['k'] });
  await created.capture({ table: 'u', orderingKey: ['k'] });
  return created;
}

const id = ({ new: row, old }: ClaimedRow): number => JSON.parse(row ?? old ?? '').id;

/** Claims and settles until nothing is left. Returns the ids of each table in the order of their claims. */
async function deliverAll({ claim, settle }: TriggerScene): Promise<Record<string, number[]>> {
  const delivered: Record<string, number[]> = {};
  for (;;) {
    const events = await claim();
    if (events.length === 0) return delivered;
    for (const event of events) {
      const table = event.number === '1' ? 't' : 'u';
      delivered[table] = [...(delivered[table] ?? []), id(event)];
    }
    expect(await settle(events)).toEqual([]);
  }
}

/** The only key is "a": all events of a table are delivered in the order of their changes. */
const insert = (table: string, ...ids: readonly number[]): string =>
  `insert into ${table} values ${ids.map((one) => `(${one}, 'a')`).join()};`;
const writes = [insert('t', 1), insert('t', 2, 3), insert('u', 4), insert('t', 5), insert('u', 6, 7)];
const delivered = { t: [1, 2, 3, 5], u: [4, 6, 7] };

const forged = [
  '{}',
  '',
  'immediate',
  'garbage',
  '1',
  '1:0000000000000000;',
  '2:ffffffffffffffff;',
  '1!;2!;',
  '99999999:ffffffffffffffff;',
  '77:0000000000000001;',
  '{"77.1": [1, 1, 9]}',
  '{"1.1": [0, 1, 9000000000]}',
];

describe('the setting joinery.stamping', () => {
  test.each(forged)('as %j between statements loses, repeats and reorders no event', async (value) => {
    const scene = await ordered();
    await scene.run(`begin; ${writes.join(`set joinery.stamping = '${value}';`)} commit`);
    expect(await deliverAll(scene)).toEqual(delivered);
    expect(await scene.column('select count(*) from joinery.trigger_stamps where number not in (1, 2)')).toEqual(['0']);
  });

  test.each(forged)('as %j of the session or before the commit loses no event', async (value) => {
    const scene = await ordered();
    await scene.run(`set joinery.stamping = '${value}'; begin; ${writes.join('')}
      set local joinery.stamping = '${value}'; commit; reset joinery.stamping`);
    expect(await deliverAll(scene)).toEqual(delivered);
  });

  test('with an earlier value of the transaction loses no event', async () => {
    const scene = await ordered();
    await scene.run(`begin; ${insert('t', 1)} select set_config('test.earlier', current_setting('joinery.stamping'), true);
      ${writes.slice(1).join('')} select set_config('joinery.stamping', current_setting('test.earlier'), true); commit`);
    expect(await deliverAll(scene)).toEqual(delivered);
  });

  test.each(['{}', '', '2:0000000000000001;'])('as %j in subtransactions loses no event', async (value) => {
    const scene = await ordered();
    await scene.run(`begin; ${writes[0]} savepoint one; set joinery.stamping = '${value}'; ${insert('t', 90, 91)}
      ${insert('u', 92)} rollback to one; ${writes[1]} savepoint two; ${writes[2]} set joinery.stamping = '${value}';
      release two; ${writes[3]} savepoint three; set constraints all immediate; rollback to three; ${writes[4]} commit`);
    expect(await deliverAll(scene)).toEqual(delivered);
  });

  test.each(['', '1:0000000000000000;'])('as %j with immediate constraints loses no event', async (value) => {
    const scene = await ordered();
    await scene.run(`begin; ${writes[0]} set constraints all immediate; set joinery.stamping = '${value}';
      ${writes.slice(1).join(`set joinery.stamping = '${value}';`)} commit`);
    expect(await deliverAll(scene)).toEqual(delivered);
  });
});

test('the keys of all triggers of a transaction are locked in one order, so that transactions do not deadlock', async () => {
  const scene = await ordered();
  const [one, other] = [scene.connect(), scene.connect()];
  const many = (first: string, second: string) => async (_: unknown, at: number) => {
    const database = first === 't' ? one : other;
    const from = (first === 't' ? 0 : 1000) + at * 10;
    await database.query({ text: `begin; ${insert(first, from)} ${insert(second, from + 1)} commit`, values: [] });
  };
  const rounds = Array.from({ length: 30 });
  await Promise.all([Promise.all(rounds.map(many('t', 'u'))), Promise.all(rounds.map(many('u', 't')))]);
  expect((await scene.column('select count(*) from joinery.trigger_stamps'))[0]).toBe('120');
});

test('concurrent serializable transactions on different rows do not fail', async () => {
  const scene = await ordered();
  const [one, other] = [scene.connect(), scene.connect()];
  const run = (database: typeof one, text: string) => database.query({ text, values: [] });
  const begin = 'begin isolation level serializable';
  await run(one, begin);
  await run(other, begin);
  await run(one, `insert into t values (1, 'a')`);
  await run(other, `insert into u values (2, 'b')`);
  await run(one, 'commit');
  await run(other, 'commit');
  expect(await deliverAll(scene)).toEqual({ t: [1], u: [2] });
});

describe('a role that may use the schema', () => {
  test('may execute none of its functions', async () => {
    const scene = await ordered();
    const open = await scene.column(`select p.oid::regprocedure from pg_proc p
      where p.pronamespace = 'joinery'::regnamespace and (p.proacl is null or exists (
        select from aclexplode(p.proacl) a where a.grantee = 0
      ))`);
    expect(open).toEqual([]);
    expect(
      await scene.column(`select count(*) > 30 from pg_proc p where p.pronamespace = 'joinery'::regnamespace`),
    ).toEqual(['t']);
  });

  test('may neither attach a capture function to a table of its own nor claim events', async () => {
    const scene = await ordered();
    const role = `client of ${new URL(scene.url).pathname.slice(-8)}`;
    await scene.run(`create role "${role}"; grant usage on schema joinery to "${role}"; grant insert on t to "${role}";
      create schema client authorization "${role}"`);
    try {
      // Each fails in a transaction of its own connection.
      const as = (text: string) =>
        scene.connect().query({ text: `begin; set local role "${role}"; ${text}; commit`, values: [] });
      const attach = `create table client.mine (id int, k text);
        create trigger mine after insert on client.mine referencing new table as joinery_new for each statement
          execute function joinery.joinery_1_insert()`;
      await expect(as(attach)).rejects.toMatchObject({ code: '42501' });
      const claim = `select joinery.claim_trigger_events(1, '0', 1, 1, null, '{}', 1)`;
      await expect(as(claim)).rejects.toMatchObject({ code: '42501' });
      await as(`insert into t values (1, 'a')`);
      expect(await deliverAll(scene)).toEqual({ t: [1] });
    } finally {
      await scene.run(`drop owned by "${role}" cascade; drop role "${role}"`);
    }
  });
});
