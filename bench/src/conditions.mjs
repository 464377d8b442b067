// Under what conditions was measured: figures are worth nothing without them.
import { cpus, loadavg, totalmem } from 'node:os';

/** Of the machine as it is now. `busy` is what others keep running on it, in cores, over the last minute. */
export function conditions() {
  const [first] = cpus();
  return {
    at: new Date().toISOString(),
    node: process.version,
    processor: `${cpus().length} x ${first?.model.trim() ?? 'unknown'}`,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    busy: Number(loadavg()[0].toFixed(1)),
  };
}

/** What is wrong with measuring now, if anything. */
export function objection({ busy }) {
  if (busy < cpus().length / 2) return undefined;
  return `this machine is busy (load ${busy} on ${cpus().length} cores): ratios will be rough, times are worth nothing`;
}
