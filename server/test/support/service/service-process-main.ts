/** The main of a process that is a whole service and tells how much memory it needs; see `security-process.ts`. */
import { start } from '../../../src/main.ts';

const running = await start({ environment: process.env });
process.on('message', async (message) => {
  if (message === 'heap') {
    // Twice: what the first round finalizes, the second collects.
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
