// What a process has used so far, as Linux counts it; undefined elsewhere.
import { readFile } from 'node:fs/promises';

/** Clock ticks a second: fixed in the interface of Linux to user programs. */
const TICKS = 100;

/** Seconds of CPU that the process has used, all its threads together. */
export async function cpuSeconds(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // The name of the program, in parentheses, may hold spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** Megabytes of memory: what is resident now, and the most that has been. */
export async function memory(pid) {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const megabytes = (name) => {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text);
    return found === null ? undefined : Math.round(Number(found[1]) / 1024);
  };
  return { now: megabytes('VmRSS'), most: megabytes('VmHWM') };
}
