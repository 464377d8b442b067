// CPU time and memory of a process on Linux; undefined on other systems.
import { readdir, readFile } from 'node:fs/promises';

/** Returns the CPU time of the threads of the process that run now, in seconds. */
export async function cpuSeconds(pid) {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const texts = await Promise.all(threads.map((thread) => readText(`/proc/${pid}/task/${thread}/schedstat`)));
  if (texts.length === 0) return undefined;
  // The first number is in nanoseconds; /proc/PID/stat has hundredths of seconds.
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1e9;
}

/** Returns an empty text where the file does not exist. */
function readText(path) {
  return readFile(path, 'utf8').catch(() => '');
}

/** Returns the resident memory now and at most, in megabytes. */
export async function memory(pid) {
  const text = await readText(`/proc/${pid}/status`);
  const megabytes = (name) => {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text);
    return found === null ? undefined : Math.round(Number(found[1]) / 1024);
  };
  return { now: megabytes('VmRSS'), most: megabytes('VmHWM') };
}
