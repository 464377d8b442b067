// The creation of events for later, by the API in batches of 10,000 and from SQL, and their size in the database.
import { command } from '../commands.mjs';
import { run } from '../database.mjs';
import { startJoinery, withServers } from '../servers.mjs';

const COUNT = 100_000;
const BATCH = 10_000;

export async function creation(postgres) {
  process.stdout.write(`\ncreation of ${COUNT.toLocaleString('en')} events for later\n`);
  const url = await postgres.create('creation');
  return withServers({ stop: async () => undefined }, async (start) => {
    const joinery = await start(startJoinery(url));
    const at = Date.now() + 30 * 86_400_000;
    const batch = (from) =>
      Array.from({ length: BATCH }, (_, n) => ({
        webhook: 'https://example.com/hook',
        schedule_at: new Date(at + (from + n) * 1000).toISOString(),
        payload: { n: from + n, what: 'a reminder of some length' },
        retry_conf: { num_retries: 3 },
        comment: 'created by the benchmark',
      }));
    await command(joinery.url, 'create_scheduled_events', { events: batch(0).slice(0, 1000) });
    const began = performance.now();
    for (let done = 0; done < COUNT; done += BATCH)
      await command(joinery.url, 'create_scheduled_events', { events: batch(done) });
    const byApi = (performance.now() - began) / 1000;
    const again = performance.now();
    await run(
      url,
      `select count(joinery.schedule_event(webhook => 'https://example.com/hook',
         schedule_at => now() + interval '30 days' + n * interval '1 s',
         payload => json_build_object('n', n, 'what', 'a reminder of some length')))
       from generate_series(1, ${COUNT}) n`,
    );
    const bySql = (performance.now() - again) / 1000;
    const report = {
      'events/s, commands of 10,000': Math.round(COUNT / byApi),
      'events/s, joinery.schedule_event in one statement': Math.round(COUNT / bySql),
    };
    for (const [name, value] of Object.entries(report)) process.stdout.write(`  ${name.padEnd(52)} ${value}\n`);
    return report;
  });
}
