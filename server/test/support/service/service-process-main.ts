/** The main module of the process of `service-process.ts`: a service that reports its memory. */
import { start } from '../../../src/main.ts';

const running = await start({ environment: process.env });
process.on('message', async (message) => {
  if (message === 'heap') {
    // The second round collects what the first has finalized.
    for (let round = 0; round < 2; round++) {
      globalThis.gc?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    process.send?.({ heap: process.memoryUsage().heapUsed });
  } else {
    await running.stop('the test is over');
    process.exit(0);
  }
});
process.send?.({ url: running.url, collects: globalThis.gc !== undefined });
// Whoever runs this file loads further modules for it, such as those that are imported late, only until it has ended.
await new Promise(() => undefined);
