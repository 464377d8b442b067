// Lookups by primary key while another role runs slow statements: the latency of the lookups, with and without them.
import { command, trackMusic } from './commands.mjs';
import { run, startDatabase } from './database.mjs';
import { compare } from './measure/load.mjs';
import { graphql, ids } from './measure/race.mjs';
import { startJoinery, withServers } from './servers.mjs';

const lookup = 'query Track($id: Int!) { track_by_pk(track_id: $id) { track_id name milliseconds unit_price } }';

/**
 * A statement of five seconds that takes no processor time, so that only waiting is measured. The argument makes the requests
 * different: equal ones would share a statement.
 */
const slowFunction = `
  create function slow_remarks(number int) returns setof remark language plpgsql stable as $$
  begin perform pg_sleep(5); return query select * from remark limit 1; end $$`;
const slowQuery = 'query Slow($number: Int!) { slow_remarks(args: { number: $number }) { remark_id } }';

/** Concurrent requests of the slow role: half of the pool. */
const SLOW_CLIENTS = 5;

export async function neighbors(settings) {
  const database = await startDatabase();
  return withServers(database, async (start) => {
    await run(database.url, slowFunction);
    const joinery = await start(startJoinery(database.url));
    await trackMusic(joinery.url);
    await command(joinery.url, 'create_select_permission', {
      table: 'remark',
      role: 'reports',
      permission: { columns: '*', filter: {} },
    });
    await command(joinery.url, 'track_function', { schema: 'public', name: 'slow_remarks' });
    const bodies = ids(3500).map((id) => ({ id }));
    const undisturbed = { ...graphql(joinery, '/v1/graphql', lookup, bodies), name: 'undisturbed', precise: true };
    let slow = 0;
    const disturbed = {
      ...undisturbed,
      name: `beside ${SLOW_CLIENTS} slow requests`,
      around: (work) =>
        besideSlow(joinery.url, work, () => {
          slow += 1;
        }),
    };
    const rows = await compare([undisturbed, disturbed], settings);
    const { rounds, seconds, clients } = settings;
    process.stdout.write(
      `\nlookup beside ${SLOW_CLIENTS} requests of 5 s of another role: ${clients} clients, median of ${rounds} alternating runs of ${seconds} s\n`,
    );
    for (const { name, perSecond, p50, p99 } of rows) {
      process.stdout.write(`  ${name.padEnd(24)} ${perSecond} requests/s, p50 ${p50} ms, p99 ${p99} ms\n`);
    }
    if (slow === 0) throw new Error('no slow request has completed');
    return { data: database.data, rows, slowRequests: slow };
  });
}

/** Runs `work` while the slow role sends requests, one after another on each connection. */
async function besideSlow(url, work, completed) {
  let running = true;
  let sent = 0;
  const headers = { 'content-type': 'application/json', 'X-Service-Role': 'reports' };
  const send = async () => {
    while (running) {
      sent += 1;
      const body = JSON.stringify({ query: slowQuery, variables: { number: sent } });
      const response = await fetch(`${url}/v1/graphql`, { method: 'POST', headers, body });
      const text = await response.text();
      if (!text.startsWith('{"data":{"slow_remarks":')) throw new Error(`a slow request failed: ${text.slice(0, 500)}`);
      completed();
    }
  };
  const slow = Promise.all(Array.from({ length: SLOW_CLIENTS }, send));
  try {
    return await Promise.race([work(), slow.then(() => work())]);
  } finally {
    running = false;
    await slow;
  }
}
