/** The command as a running process, and files for it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
  private readonly ended: Promise<number | null>;
  private notify: () => void = () => undefined;

  constructor(args: readonly string[], environment: Readonly<Record<string, string>> = {}, cwd?: string) {
    this.child = spawn(process.execPath, [bin, ...args], { env: environmentOf(environment), cwd });
    const append = (chunk: Buffer): void => {
      this.text += chunk.toString();
      this.notify();
    };
    this.child.stdout?.on('data', append);
    this.child.stderr?.on('data', append);
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code) => {
        resolve(code);
        this.notify();
      });
    });
  }

  /** Waits for the first match in the output after `from`. Throws with the whole output if the command ends without one. */
  async until(pattern: RegExp, from = 0): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.text.slice(from));
      if (found !== null) return found;
      if (this.child.exitCode !== null) throw new Error(`ended without ${pattern}:\n${this.text}`);
      await new Promise<void>((resolve) => {
        this.notify = resolve;
      });
    }
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
