/** Distinguishes a process from a later one with the same id. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the format of the platform; equal for one process, different for another. */
  readonly started: string;
}

/** Undefined when no such process runs; one that has ended and was not yet reaped counts as ended. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0 || !exists(pid)) return undefined;
  if (process.platform === 'linux') return fromProc(pid);
  return process.platform === 'win32' ? { pid, started: '' } : fromPs(pid);
}

/** True while the very process that was identified runs. */
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
    // The second field is the command in parentheses and may hold anything; the state follows it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    // Ticks since the machine started, so the start of the machine belongs to it.
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
