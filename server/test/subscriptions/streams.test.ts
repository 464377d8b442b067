/** Rules of the delivery of streams: their start, batches and nulls. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Notes, nextData, startNotes, subscribe } from './notes-service.ts';

let notes: Notes;

beforeAll(async () => {
  notes = await startNotes();
});

afterEach(() => notes.closeClients());

afterAll(() => notes?.service.stop());

const stream = (initial: string, size = 5, ordering = 'ASC') =>
  `subscription { note_stream(batch_size: ${size}, cursor: {initial_value: {${initial}}, ordering: ${ordering}}) { body } }`;
const bodies = (...list: string[]) => ({ note_stream: list.map((body) => ({ body })) });

test('a stream starts after its initial value, without the rows that equal it', async () => {
  const client = await notes.connected();
  subscribe(client, stream('at: 2'));
  expect(await nextData(client)).toEqual(bodies('three'));
  subscribe(client, stream('at: 2', 5, 'DESC'), undefined, 'b');
  expect(await nextData(client)).toEqual(bodies('one'));
});

test('a stream without an ordering is ascending', async () => {
  const client = await notes.connected();
  subscribe(client, 'subscription { note_stream(batch_size: 1, cursor: {initial_value: {id: 0}}) { body } }');
  for (const body of ['one', 'two', 'more', 'three']) expect(await nextData(client)).toEqual(bodies(body));
});

test('a stream without new rows sends nothing until there is one', async () => {
  const client = await notes.connected();
  subscribe(client, stream('at: 1000'));
  await notes.untilPolled();
  expect(client.unread).toEqual([]);
  await notes.run(`insert into note (author_id, body, at) values (1, 'late', 1001)`);
  expect(await nextData(client)).toEqual(bodies('late'));
  await notes.run(`delete from note where body = 'late'`);
});

test('a row that appears behind the cursor is not sent', async () => {
  const client = await notes.connected();
  subscribe(client, stream('at: 1000'));
  await notes.run(`insert into note (author_id, body, at) values (1, 'behind', 999)`);
  await notes.untilPolled();
  expect(client.unread).toEqual([]);
  await notes.run(`delete from note where body = 'behind'`);
});

test('the limit of a permission limits the batches of a stream', async () => {
  await notes.service.command('create_select_permission', {
    table: 'note',
    role: 'capped',
    permission: { columns: ['id', 'body'], filter: {}, limit: 2 },
  });
  const client = await notes.connected({ 'x-service-role': 'capped' });
  subscribe(client, stream('id: 0'));
  expect(await nextData(client)).toEqual(bodies('one', 'two'));
  expect(await nextData(client)).toEqual(bodies('more', 'three'));
});

test('a stream sends no row whose cursor is null', async () => {
  const client = await notes.connected();
  subscribe(client, 'subscription { author_stream(batch_size: 5, cursor: {initial_value: {big: 0}}) { name } }');
  expect(await nextData(client)).toEqual({ author_stream: [{ name: 'Ada' }] });
  await notes.run(`insert into author values (20, 'Null', null), (21, 'Eve', 9007199254740999)`);
  expect(await nextData(client)).toEqual({ author_stream: [{ name: 'Eve' }] });
  await notes.run('delete from author where id in (20, 21)');
});

test('a stream ends with an error when its table is no longer tracked', async () => {
  await notes.run('create table gone (id int primary key)');
  await notes.service.command('track_table', { schema: 'public', name: 'gone' });
  const client = await notes.connected();
  subscribe(client, 'subscription { gone_stream(batch_size: 1, cursor: {initial_value: {id: 0}}) { id } }');
  await notes.untilPolled();
  await notes.service.command('untrack_table', { table: 'gone' });
  expect(await client.next()).toMatchObject({
    type: 'error',
    payload: [{ extensions: { code: 'validation-failed' } }],
  });
});
