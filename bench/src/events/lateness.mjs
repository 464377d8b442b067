// Lateness at a steady rate: from the scheduled time of an event to the first byte of its call at the webhook.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { run } from '../database.mjs';
import { cpuSeconds } from '../measure/process.mjs';
import { startJoinery, startSink, withServers } from '../servers.mjs';
import { quantile, request, statements } from '../sink.mjs';

/** How long before their time events are inserted, while others are delivered. One insert covers `TICK_MS`. */
const LEAD_MS = 4_000;
const TICK_MS = 200;
const LOAD = 50_000;

/** Resolves with p50, p99, maximum and number of early calls, in total and by second, statements and CPU of the service. */
export async function lateness(postgres, { rate, sustained }, future) {
  process.stdout.write(
    `\nlateness: ${rate} events/s for ${sustained} s, ${future.toLocaleString('en')} more for next month\n`,
  );
  const url = await postgres.create(`lateness_${future}`);
  return withServers({ stop: async () => undefined }, async (start) => {
    const sink = await start(startSink());
    const joinery = await start(startJoinery(url));
    const size = await load(url, future);
    // Warm-up: the first seconds run code that is not compiled yet.
    await feed(url, sink, { rate, seconds: Math.min(5, sustained) });
    const before = { statements: await statements(joinery.url), cpu: await cpuSeconds(joinery.pid) };
    const { calls, times } = await feed(url, sink, { rate, seconds: sustained });
    const events = rate * sustained;
    const after = { statements: await statements(joinery.url), cpu: await cpuSeconds(joinery.pid) };
    const late = times.map(([due, came]) => came - due);
    const figures = {
      future,
      ...summary(late),
      early: late.filter((ms) => ms < 0).length,
      lost: events - times.length,
      twice: calls - times.length,
      statementsPerEvent: Number(((after.statements - before.statements) / events).toFixed(3)),
      cpuUsPerEvent: before.cpu && Math.round(((after.cpu - before.cpu) * 1e6) / events),
      size: { ...size, ...(await history(url)) },
    };
    for (const [name, value] of Object.entries(figures))
      process.stdout.write(`  ${name.padEnd(20)} ${typeof value === 'object' ? JSON.stringify(value) : value}\n`);
    return { ...figures, seconds: bySecond(times) };
  });
}

/** Inserts events of a thousand destinations for next month. Resolves with their size in the database. */
async function load(url, count) {
  const began = performance.now();
  for (let done = 0; done < count; done += LOAD) {
    await run(
      url,
      `insert into joinery.scheduled_events (webhook, schedule_at, payload)
       select 'https://host-' || n % 1000 || '.example/hook', now() + interval '30 days' + n * interval '100 ms',
         json_build_object('n', n, 'customer', n % 977, 'what', 'a reminder of some length')
       from generate_series(${done + 1}, ${Math.min(done + LOAD, count)}) n`,
    );
  }
  await run(url, 'vacuum analyze joinery.scheduled_events');
  const { rows } = await run(
    url,
    `select pg_table_size('joinery.scheduled_events')::int8 as "table", pg_indexes_size('joinery.scheduled_events')::int8 as indexes`,
  );
  const perMillion = (bytes) => (count < 100_000 ? undefined : Math.round(Number(bytes) / count));
  return {
    tableMbPerMillion: perMillion(rows[0].table),
    indexesMbPerMillion: perMillion(rows[0].indexes),
    loadSeconds: Math.round((performance.now() - began) / 1000),
  };
}

/** Returns the size of processed events and the log of their calls, with indexes. */
async function history(url) {
  const { rows } = await run(
    url,
    `select (
       pg_total_relation_size('joinery.processed_events')
         + (select sum(pg_total_relation_size(relid)) from pg_partition_tree('joinery.event_invocations'))
     )::float8 / greatest(count(*), 1) as each from joinery.processed_events`,
  );
  return { processedAndLogMbPerMillion: Math.round(rows[0].each) };
}

/** Schedules events from SQL, as an application does in its transactions. Resolves with the times of the sink. */
async function feed(url, sink, { rate, seconds }) {
  await request(sink, `reset/${rate * seconds}`);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('select ceil(extract(epoch from clock_timestamp()) * 1000)::float8 as now');
  const began = performance.now();
  const first = rows[0].now + LEAD_MS;
  const each = (rate * TICK_MS) / 1000;
  for (let tick = 0; tick * TICK_MS < seconds * 1000; tick += 1) {
    await sleep(Math.max(began + tick * TICK_MS - performance.now(), 0));
    await client.query({
      name: 'feed',
      text: `insert into joinery.scheduled_events (webhook, schedule_at, payload)
        select $1, to_timestamp(due / 1000.0), ('{"n":' || n || ',"at":' || due || '}')::json
        from (select n, ($2::float8 + floor((n - 1) * 1000.0 / $3))::int8 as due
          from generate_series($4::int, $5::int) n) moments`,
      values: [`${sink.url}/`, first, rate, Math.round(tick * each) + 1, Math.round((tick + 1) * each)],
    });
  }
  await client.end();
  const patience = performance.now() + LEAD_MS + 30_000;
  while ((await request(sink, 'counts')).different < rate * seconds && performance.now() < patience) await sleep(250);
  // Outcomes are stored shortly after the calls.
  await sleep(500);
  return request(sink, 'times');
}

function summary(late) {
  const sorted = [...late].sort((a, b) => a - b);
  const ms = (share) => Number((quantile(sorted, share) ?? 0).toFixed(2));
  return { events: late.length, p50: ms(0.5), p99: ms(0.99), max: ms(1) };
}

/** Returns the figures of each second of scheduled times. */
function bySecond(times) {
  const [[first]] = times;
  const seconds = [];
  for (const [due, came] of times) {
    const second = Math.floor((due - first) / 1000);
    seconds[second] ??= [];
    seconds[second].push(came - due);
  }
  return Array.from(seconds, (late) => summary(late ?? []));
}
