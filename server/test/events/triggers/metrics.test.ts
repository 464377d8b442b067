/** The metrics of the delivery of event triggers. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTriggerService, type TriggerService } from '../../support/events/trigger-service.ts';
import { until } from '../../support/until.ts';

let triggers: TriggerService;

beforeAll(async () => {
  triggers = await startTriggerService({
    sql: 'create table item (id int primary key); create table note (id int primary key)',
    tables: ['item', 'note'],
    respond: ({ path }, response) => response.writeHead(path === '/rejected' ? 500 : 200).end('{}'),
  });
});
afterAll(() => triggers.stop());

/** Returns the values of the metrics of event triggers by name and labels. */
async function values(): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`${triggers.service.url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith('joinery_trigger_event'));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

test('the metrics count calls, outcomes and pending events of a source', async () => {
  await triggers.create('accepted', { table: 'item', insert: { columns: '*' } });
  await triggers.create('rejected', {
    table: 'note',
    insert: { columns: '*' },
    retry_conf: { num_retries: 0, interval_sec: 1, timeout_sec: 60 },
  });
  await triggers.sql('insert into item values (1), (2), (3); insert into note values (1)');
  const expected = {
    'joinery_trigger_event_outcomes_total{source="default",outcome="delivered"}': 3,
    'joinery_trigger_event_outcomes_total{source="default",outcome="failed"}': 1,
    'joinery_trigger_event_outcomes_total{source="default",outcome="retried"}': 0,
    'joinery_trigger_event_calls_total{source="default"}': 4,
    'joinery_trigger_events_in_flight{source="default"}': 0,
    'joinery_trigger_events_pending{source="default"}': 0,
    'joinery_trigger_events_oldest_pending_seconds{source="default"}': 0,
  };
  let last = {};
  await until(
    () => `the events are counted; the metrics are ${JSON.stringify(last)}`,
    async () => {
      const found = await values();
      last = found;
      return Object.entries(expected).every(([name, value]) => found[name] === value);
    },
  );
});

test('the metrics count the pending events of a paused trigger', async () => {
  await triggers.create('waiting', { table: 'item', insert: { columns: '*' } });
  await triggers.run('pause_event_trigger', { name: 'waiting' });
  await triggers.sql('insert into item values (4), (5)');
  const pending = 'joinery_trigger_events_pending{source="default"}';
  const oldest = 'joinery_trigger_events_oldest_pending_seconds{source="default"}';
  await until('two events are pending', async () => (await values())[pending] === 2);
  expect((await values())[oldest]).toBeGreaterThan(0);
});
