/** Distinguishes a process from a later one with the same id. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  /** The start time in the format of the platform, which differs for a later process with the same id. */
  readonly started: string;
}

/** Identifies a process; undefined if it does not run. A zombie does not run. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0 || !exists(pid)) return undefined;
  if (process.platform === 'linux') return fromProc(pid);
  return process.platform === 'win32' ? { pid, started: '' } : fromPs(pid);
}

/** Whether the identified process runs. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.started === identity.started;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function fromProc(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses and may contain any character; the state follows it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    // The start time is relative to the start of the machine, which is added.
    return { pid, started: `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[19]}` };
  } catch {
    return undefined;
  }
}

function fromPs(pid: number): ProcessIdentity | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    if (line === '' || line.startsWith('Z')) return undefined;
    return { pid, started: line.slice(line.indexOf(' ')).trim() };
  } catch {
    return undefined;
  }
}
