/** The command as a running process, and files for it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../../../server/test/support/until.ts';

const bin = fileURLToPath(new URL('../../bin/joinery.mjs', import.meta.url));

/** Returns an environment with only the given settings of Joinery. */
function environmentOf(more: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const clean = Object.entries(process.env).filter(([name]) => !name.startsWith('JOINERY_') && name !== 'DATABASE_URL');
  return { ...Object.fromEntries(clean), ...more };
}

/** A running command whose output a test can wait for. */
export class RunningCommand {
  text = '';
  private readonly child: ChildProcess;
  /** Whether the process has ended and all its output is in `text`. */
  private hasEnded = false;
  /** Resolves to the exit code; null after a signal. */
  readonly ended: Promise<number | null>;

  constructor(args: readonly string[], environment: Readonly<Record<string, string>> = {}, cwd?: string) {
    this.child = spawn(process.execPath, [bin, ...args], { env: environmentOf(environment), cwd });
    const append = (chunk: Buffer): void => {
      this.text += chunk.toString();
    };
    this.child.stdout?.on('data', append);
    this.child.stderr?.on('data', append);
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code) => {
        this.hasEnded = true;
        resolve(code);
      });
    });
  }

  /** Waits for the first match in the output after `from`. Throws with the whole output if the command ends without one. */
  async until(pattern: RegExp, from = 0): Promise<RegExpExecArray> {
    const what = () => `the command prints ${pattern}; it has printed:\n${this.text}\n`;
    return until(what, () => {
      const found = pattern.exec(this.text.slice(from)) ?? undefined;
      if (found === undefined && this.hasEnded) throw new Error(`ended without ${pattern}:\n${this.text}`);
      return found;
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Waits for the end of the command and returns its exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    return this.ended;
  }
}

/** Writes files by their paths below `folder`. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
