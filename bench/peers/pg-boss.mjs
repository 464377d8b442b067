// pg-boss in its fastest setting: two workers that fetch and complete 500 jobs at a time, until none is left.
import { PgBoss } from 'pg-boss';
import { call, connectionString, serveInserts } from './job.mjs';

const boss = new PgBoss({ connectionString, max: 10 });
boss.on('error', (error) => process.stderr.write(`${error.stack}\n`));
await boss.start();
await boss.createQueue('call', { retryLimit: 0 });
await boss.work(
  'call',
  { batchSize: 500, localConcurrency: 2, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
  // As many concurrent calls as the HTTP pool has connections.
  (jobs) => Promise.all(jobs.map((job) => call(job.id, new Date(), job.data))),
);

serveInserts((payloads) =>
  boss.insert(
    'call',
    payloads.map((data) => ({ data })),
  ),
);
process.on('SIGTERM', () => process.exit(0));
