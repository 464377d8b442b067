// The conditions of a measurement, which are stored with its results.
import { cpus, loadavg, totalmem } from 'node:os';

/** Returns the conditions of the machine now. `busy` is the load of the last minute, in cores. */
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

/** Returns a warning if the machine is too busy for a measurement. */
export function objection({ busy }) {
  if (busy < cpus().length / 2) return undefined;
  return `this machine is busy (load ${busy} on ${cpus().length} cores): ratios are inaccurate, and times cannot be used`;
}
