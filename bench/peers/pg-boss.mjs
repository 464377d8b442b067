// pg-boss in its fastest setting: two workers that fetch and complete 500 jobs at a time, and fetch on while there are any.
import { PgBoss } from 'pg-boss';
import { call, connectionString, openDoor } from './job.mjs';

const boss = new PgBoss({ connectionString, max: 10 });
boss.on('error', (error) => process.stderr.write(`${error.stack}\n`));
await boss.start();
await boss.createQueue('call', { retryLimit: 0 });
await boss.work(
  'call',
  { batchSize: 500, localConcurrency: 2, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
  // As many at a time as the pool of the call has connections.
  (jobs) => Promise.all(jobs.map((job) => call(job.id, new Date(), job.data))),
);

openDoor((payloads) =>
  boss.insert(
    'call',
    payloads.map((data) => ({ data })),
  ),
);
process.on('SIGTERM', () => process.exit(0));
