// A worker thread that polls an address and reports the longest response time since it was asked last.
import { Agent, get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const PAUSE_MS = 10;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let longest = 0;
let failed = 0;

function poll() {
  const began = performance.now();
  const ended = (wrong) => {
    longest = Math.max(longest, performance.now() - began);
    if (wrong) failed += 1;
    for (const answer of waiting.splice(0)) answer();
    setTimeout(poll, PAUSE_MS);
  };
  get(workerData.url, { agent }, (response) => {
    response.resume();
    response.once('end', () => ended(response.statusCode !== 200));
  }).once('error', () => ended(true));
}

/** What is to be done when the poll that is under way has ended. */
const waiting = [];
poll();

parentPort.on('message', () => {
  // One poll that began after the question as well.
  waiting.push(() =>
    waiting.push(() => {
      parentPort.postMessage({ longest, failed });
      longest = 0;
      failed = 0;
    }),
  );
});
