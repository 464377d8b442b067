// Preloaded into the service (`node --import`): appends every block of the event loop to the file HOSTILE_BLOCKS.
import { appendFileSync, readFileSync } from 'node:fs';

const EVERY_MS = 5;
/** Shorter gaps between two ticks are not reported. */
const SHORTEST_MS = 20;

const file = process.env.HOSTILE_BLOCKS;
// Linux: nanoseconds that the main thread ran, and that it waited for a processor.
const statistics = `/proc/${process.pid}/task/${process.pid}/schedstat`;

function waitedMs() {
  try {
    return Number(readFileSync(statistics, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

if (file !== undefined) {
  let last = performance.now();
  let waited = waitedMs();
  setInterval(() => {
    const gap = performance.now() - last;
    const waitedNow = waitedMs();
    if (gap > SHORTEST_MS) {
      appendFileSync(file, `${JSON.stringify({ gap, own: gap - (waitedNow - waited) })}\n`);
    }
    last = performance.now();
    waited = waitedNow;
  }, EVERY_MS).unref();
}
