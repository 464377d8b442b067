// A worker thread that polls a URL and reports the longest response time since the last report.
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
    for (const callback of waiting.splice(0)) callback();
    setTimeout(poll, PAUSE_MS);
  };
  get(workerData.url, { agent }, (response) => {
    response.resume();
    response.once('end', () => ended(response.statusCode !== 200));
  }).once('error', () => ended(true));
}

/** Callbacks for the end of the current poll. */
const waiting = [];
poll();

parentPort.on('message', () => {
  // Includes one poll that began after the message.
  waiting.push(() =>
    waiting.push(() => {
      parentPort.postMessage({ longest, failed });
      longest = 0;
      failed = 0;
    }),
  );
});
