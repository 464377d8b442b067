/** Output of commands: tables and colors for users, JSON for programs, and error messages. */
import { styleText } from 'node:util';
import type { Command } from 'commander';
import { CliError } from './cli-error.ts';

export type Style = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';

/** Returns `text` with a style where `stream` supports colors; `NO_COLOR` and `FORCE_COLOR` override. */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return hasColors(stream) ? styleText(style, text, { validateStream: false }) : text;
}

function hasColors(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR, FORCE_COLOR } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '' && FORCE_COLOR !== '0') return true;
  return stream.isTTY === true;
}

const outputClosing = new AbortController();

/** Aborted when standard output is closed, as in `joinery events tail | head`. */
export const outputClosed: AbortSignal = outputClosing.signal;

/**
 * Ignores closed output. Commands complete their work without output; commands that only print stop at `outputClosed`.
 */
export function tolerateClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      if (stream === process.stdout) outputClosing.abort();
    });
  }
}

export function printLine(line = ''): void {
  process.stdout.write(`${line}\n`);
}

export function warn(line: string): void {
  process.stderr.write(`${line}\n`);
}

export function printJson(value: unknown): void {
  printLine(JSON.stringify(value, null, 2));
}

/** Formats rows with padded columns; the last column is not padded. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, index) => Math.max(head.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, index) => (index === heads.length - 1 ? cell : cell.padEnd(widths[index] ?? 0))).join('  ');
  return [paint('dim', line(heads)), ...rows.map(line)].join('\n');
}

/** `-o json`. */
export function outputOption(command: Command): Command {
  return command.option('-o, --output <format>', 'text, or json for programs', 'text');
}

export interface OutputFlags {
  readonly output?: string;
}

/** Throws CliError for an unknown format. */
export function wantsJson({ output = 'text' }: OutputFlags): boolean {
  if (output === 'json') return true;
  if (output === 'text') return false;
  throw new CliError(`unknown output format "${output}"; use text or json`);
}

/**
 * Runs `work` and sets the exit code to its result, or to 1 on CliError, which it prints to standard error, or as JSON to
 * standard output with `-o json`.
 */
export async function outcome(name: string, work: () => Promise<number>, flags: OutputFlags = {}): Promise<void> {
  try {
    process.exitCode = await work();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (flags.output === 'json') printJson({ error: error.message, faults: error.details });
    else warn(`${paint('red', `joinery ${name}:`, process.stderr)} ${error.message}`);
    process.exitCode = 1;
  }
}

/** Shows `label` with the seconds that `work` takes. */
export async function withProgress<Result>(label: string, work: () => Promise<Result>): Promise<Result> {
  const began = Date.now();
  const show = (): void => progress(`${label}, ${Math.round((Date.now() - began) / 1000)} s`);
  show();
  const ticking = setInterval(show, 1000);
  try {
    return await work();
  } finally {
    clearInterval(ticking);
    progress(undefined);
  }
}

/** Overwrites the current line of a terminal; prints nothing elsewhere. */
export function progress(text: string | undefined): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(`\r\u001b[2K${text ?? ''}`);
}

/** Whether the user confirms on the terminal. */
export async function confirmed(question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test(await terminal.question(`${question} (y/N) `));
  } finally {
    terminal.close();
  }
}
