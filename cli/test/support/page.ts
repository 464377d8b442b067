/** Runs the command blocks of a Markdown page as in a terminal. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

/** A part of a page. */
export type Part =
  /** Command lines; a line that ends with a backslash or within quotes is continued. */
  | { readonly kind: 'commands'; readonly text: string }
  /** The JSON output of the preceding commands. */
  | { readonly kind: 'output'; readonly json: unknown }
  | { readonly kind: 'prose'; readonly text: string };

/** Parses a page. Blocks fenced as `bash` are commands, blocks fenced as `json` are their output. */
export function partsOf(page: string): readonly Part[] {
  const parts: Part[] = [];
  const pattern = /^ *```(\w*)\n([\s\S]*?)^ *```$/gm;
  let at = 0;
  for (const match of page.matchAll(pattern)) {
    parts.push({ kind: 'prose', text: page.slice(at, match.index) });
    at = match.index + match[0].length;
    if (match[1] === 'bash') parts.push({ kind: 'commands', text: (match[2] ?? '').replaceAll(/^ +/gm, '').trim() });
    else if (match[1] === 'json') parts.push({ kind: 'output', json: JSON.parse(match[2] ?? '') });
  }
  return parts;
}

/** Commands that run until Ctrl-C, with the output by which they are ready. */
const staying: readonly (readonly [RegExp, RegExp])[] = [
  [/npx joinery dev$/, /Ready\. Press Ctrl-C/],
  [/(^|npx )joinery serve /, /listening on/],
  [/node handlers\/server\.mjs$/, /handlers: listening/],
];

export interface TerminalSettings {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Terminals in one folder: commands run one after the other, commands that run until Ctrl-C in a terminal of their own. */
export class Terminals {
  readonly #running: { readonly child: ChildProcess; readonly ended: Promise<unknown> }[] = [];
  readonly #environment: Readonly<Record<string, string>>;
  #folder: string;

  constructor({ folder, environment }: TerminalSettings) {
    this.#folder = folder;
    this.#environment = environment;
  }

  /** Runs a block and returns its output. Throws if a command fails or if one that should run until Ctrl-C ends. */
  async run(block: string): Promise<string> {
    const lines = block.split('\n');
    const last = lines.at(-1) ?? '';
    const stays = staying.find(([command]) => command.test(last));
    const before = (stays === undefined ? lines : lines.slice(0, -1)).join('\n');
    const printed = before === '' ? '' : await this.#toEnd(before);
    if (stays !== undefined) await this.#stay(last, stays[1]);
    return printed;
  }

  /** Sends Ctrl-C to every terminal in which a command runs. */
  async interrupt(): Promise<void> {
    for (const { child, ended } of this.#running.splice(0).reverse()) {
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
      await ended;
    }
  }

  async #toEnd(lines: string): Promise<string> {
    const script = `set -euo pipefail\n${lines}\necho; echo "folder:$PWD"`;
    const options = { cwd: this.#folder, env: this.#environment, maxBuffer: 1e7 };
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', script], options);
    const [printed = '', folder = ''] = stdout.split('\nfolder:');
    this.#folder = folder.trim();
    return printed;
  }

  async #stay(line: string, ready: RegExp): Promise<void> {
    const options = { cwd: this.#folder, env: this.#environment, detached: true };
    const child = spawn('bash', ['--norc', '-c', line], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#running.push({ child, ended: once(child, 'exit') });
    let printed = '';
    await new Promise<void>((resolve, reject) => {
      const hear = (chunk: Buffer): void => {
        printed += chunk;
        if (ready.test(printed)) resolve();
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
      child.on('exit', (code) => reject(new Error(`"${line}" ended with code ${code}:\n${printed}`)));
    });
  }
}
