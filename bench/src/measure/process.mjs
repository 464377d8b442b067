// CPU time and memory of a process on Linux; undefined on other systems.
import { readFile } from 'node:fs/promises';

/** Clock ticks a second: fixed in the interface of Linux to user programs. */
const TICKS = 100;

/** Returns the CPU time of all threads of the process, in seconds. */
export async function cpuSeconds(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // The name of the program, in parentheses, may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** Returns the resident memory now and at most, in megabytes. */
export async function memory(pid) {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const megabytes = (name) => {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text);
    return found === null ? undefined : Math.round(Number(found[1]) / 1024);
  };
  return { now: megabytes('VmRSS'), most: megabytes('VmHWM') };
}
