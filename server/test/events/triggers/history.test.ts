/** The log of lists, and the history of a trigger that has become inconsistent. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTriggerService, type TriggerService } from '../../support/events/trigger-service.ts';
import { until } from '../../support/until.ts';

let s: TriggerService;

interface Event {
  readonly id: string;
  readonly status: string;
  readonly tries: number;
  readonly payload: { readonly data: { readonly new: { readonly id: number } } };
}

interface Call {
  readonly event_id: string;
  readonly attempt: number;
  readonly duration_ms: number;
  readonly http_status: number | null;
  readonly request: { readonly payload: unknown };
  readonly response: { readonly data: { readonly body?: string } };
}

beforeAll(async () => {
  s = await startTriggerService({
    sql: 'create table item (id int primary key, name text); create table note (id int primary key, name text)',
    tables: ['item', 'note'],
  });
});
afterAll(() => s.stop());

/** Returns the events in the order of their rows. */
async function eventsOf(name: string): Promise<readonly Event[]> {
  const events = (await s.run('pg_get_event_logs', { name })) as Event[];
  return events.sort((one, other) => one.payload.data.new.id - other.payload.data.new.id);
}

/** Waits until all events are delivered. */
const delivered = (name: string, count: number): Promise<readonly Event[]> =>
  until(`${count} events of ${name} are delivered`, async () => {
    const events = await eventsOf(name);
    return events.length === count && events.every(({ status }) => status === 'delivered') ? events : undefined;
  });

async function callsOfEvent(id: string): Promise<readonly Call[]> {
  return ((await s.run('pg_get_event_by_id', { event_id: id })) as { readonly invocations: Call[] }).invocations;
}

const callLog = async (name: string): Promise<readonly Call[]> =>
  (await s.run('pg_get_event_invocation_logs', { name })) as Call[];

describe('the log of a list', () => {
  test.each([
    ['short', 5],
    ['long', 2_000],
  ])('that is %s has the list as sent and the response for each of its events', async (name, length) => {
    await s.create(name, { table: 'item', insert: { columns: '*' }, batch: { max_events: 3, max_wait_ms: 60_000 } });
    await s.sql(`insert into item select n, repeat('a', ${length}) from generate_series(1, 3) n`);
    const events = await delivered(name, 3);
    const [sent, ...others] = s.callsOf(name);
    expect(others).toEqual([]);
    for (const { id } of events) {
      const calls = await callsOfEvent(id);
      expect(calls).toMatchObject([{ event_id: id, attempt: 1, http_status: 200 }]);
      expect(calls[0]?.request.payload).toEqual(JSON.parse(sent?.text ?? 'null'));
      expect(calls[0]?.response.data.body).toBe((await callsOfEvent(events[0]?.id ?? ''))[0]?.response.data.body);
    }
    await s.run('pg_delete_event_trigger', { name });
    await s.sql('delete from item');
  });

  test('that is long has the list with the first event in get_event_invocation_logs, to which the others refer', async () => {
    const name = 'referring';
    await s.create(name, { table: 'item', insert: { columns: '*' }, batch: { max_events: 3, max_wait_ms: 60_000 } });
    await s.sql(`insert into item select n, repeat('a', 2000) from generate_series(1, 3) n`);
    const events = await delivered(name, 3);
    const list: readonly { readonly id: string }[] = JSON.parse(s.callsOf(name)[0]?.text ?? '[]');
    const first = list[0]?.id;
    const calls = await callLog(name);
    const payloads = events.map(({ id }) => calls.find(({ event_id }) => event_id === id)?.request.payload);
    expect(payloads).toEqual(events.map(({ id }) => (id === first ? list : { first_event_of_batch: first })));
    await s.run('pg_delete_event_trigger', { name });
    await s.sql('delete from item');
  });
});

test('a call has its attempt and its duration in milliseconds', async () => {
  await s.create('timed', { table: 'item', insert: { columns: '*' } });
  await s.sql('insert into item values (1)');
  const [event] = await delivered('timed', 1);
  await s.run('pg_redeliver_event', { event_id: event?.id });
  await until('the event is delivered again', async () => (await eventsOf('timed'))[0]?.tries === 2);
  const calls = await callLog('timed');
  expect(calls.map(({ attempt }) => attempt)).toEqual([2, 1]);
  for (const { duration_ms } of calls) expect(Number.isInteger(duration_ms) && duration_ms >= 0).toBe(true);
  await s.run('pg_delete_event_trigger', { name: 'timed' });
});

describe('the history of an inconsistent trigger', () => {
  let id: string;

  beforeAll(async () => {
    await s.create('lost', { table: 'note', insert: { columns: '*', payload: ['id', 'name'] }, enable_manual: true });
    await s.sql(`insert into note values (1, 'a')`);
    const [event] = await delivered('lost', 1);
    id = event?.id ?? '';
    await s.sql('alter table note drop column name');
    await s.run('reload_metadata', { reload_sources: true });
    expect(await s.run('get_inconsistent_metadata', {})).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [{ type: 'event_trigger' }],
    });
  });

  test('is listed by get_event_logs, get_event_invocation_logs and get_event_by_id', async () => {
    expect(await eventsOf('lost')).toMatchObject([
      { id, schema_name: 'public', table_name: 'note', trigger_name: 'lost', status: 'delivered' },
    ]);
    expect(await callLog('lost')).toMatchObject([{ event_id: id, attempt: 1, http_status: 200 }]);
    expect(await callsOfEvent(id)).toMatchObject([{ event_id: id, attempt: 1 }]);
  });

  test('is redelivered by redeliver_event and redeliver_events', async () => {
    expect(await s.run('pg_redeliver_event', { event_id: id })).toEqual({ message: 'success' });
    expect(await eventsOf('lost')).toMatchObject([{ id }]);
    expect(await s.run('pg_redeliver_events', { name: 'lost', status: ['delivered'] })).toMatchObject({
      message: 'success',
    });
  });

  test('does not include new manual events: invoke_event_trigger rejects the trigger', async () => {
    expect(await s.post('pg_invoke_event_trigger', { name: 'lost', payload: 1 })).toMatchObject({
      status: 400,
      body: { code: 'not-exists', path: '$.args.name' },
    });
  });
});
