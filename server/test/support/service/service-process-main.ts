/** The main module of the process of `service-process.ts`: a service that reports its memory. */
import { start } from '../../../src/main.ts';

const running = await start({ environment: process.env });
process.on('message', async (message) => {
  if (message === 'heap') {
    // The second round collects objects that were finalized in the first.
    for (let round = 0; round < 2; round++) {
      globalThis.gc?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    process.send?.({ heap: process.memoryUsage().heapUsed });
  } else if (message === 'peak') {
    process.send?.({ peak: process.resourceUsage().maxRSS * 1_024 });
  } else {
    await running.stop('the test has ended');
    process.exit(0);
  }
});
process.send?.({ url: running.url, collects: globalThis.gc !== undefined });
// run-typescript.mjs resolves dynamic imports only until this module has ended.
await new Promise(() => undefined);
