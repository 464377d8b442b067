// graphile-worker in its fastest setting: a local queue of 500 jobs, completion in batches, no line logged for a job.
import { makeWorkerUtils, run } from 'graphile-worker';
import { call, concurrency, connectionString, serveInserts } from './job.mjs';

process.env.NO_LOG_SUCCESS = '1';

await run({
  preset: {
    worker: {
      connectionString,
      concurrentJobs: concurrency,
      maxPoolSize: 10,
      localQueue: { size: 500 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
  taskList: { call: (payload, { job }) => call(job.id, job.run_at, payload) },
});

const utils = await makeWorkerUtils({ connectionString });
serveInserts((payloads) => utils.addJobs(payloads.map((payload) => ({ identifier: 'call', payload, maxAttempts: 1 }))));
