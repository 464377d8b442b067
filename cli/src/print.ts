/** What commands print: tables and colours for people, JSON for programs, and one line for what went wrong. */
import { styleText } from 'node:util';
import type { Command } from 'commander';
import { ProjectError } from './cli-error.ts';

export type Style = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';

/** `text` in a colour where `stream` is a terminal that wants them (`NO_COLOR`, `FORCE_COLOR`). */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return hasColours(stream) ? styleText(style, text, { validateStream: false }) : text;
}

function hasColours(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR, FORCE_COLOR } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '' && FORCE_COLOR !== '0') return true;
  return stream.isTTY === true;
}

const outputClosing = new AbortController();

/** Aborted once the reader of standard output has left, as in `joinery events tail | head`. */
export const outputClosed: AbortSignal = outputClosing.signal;

/**
 * Ignores a reader of the output that has left. The command completes its work without output; a command that only
 * prints ends by `outputClosed`.
 */
export function tolerateClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      if (stream === process.stdout) outputClosing.abort();
    });
  }
}

export function say(line = ''): void {
  process.stdout.write(`${line}\n`);
}

export function warn(line: string): void {
  process.stderr.write(`${line}\n`);
}

export function sayJson(value: unknown): void {
  say(JSON.stringify(value, null, 2));
}

/** Columns as wide as their widest cell; the last one is not padded. */
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

/** Throws ProjectError for a format that there is not. */
export function wantsJson({ output = 'text' }: OutputFlags): boolean {
  if (output === 'json') return true;
  if (output === 'text') return false;
  throw new ProjectError(`there is no output format "${output}"; use text or json`);
}

/**
 * Sets the exit code to what `work` resolves with, or to 1 where it cannot be done: with one line on standard error, or
 * with a document where `flags` ask for JSON.
 */
export async function outcome(name: string, work: () => Promise<number>, flags: OutputFlags = {}): Promise<void> {
  try {
    process.exitCode = await work();
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    if (flags.output === 'json') sayJson({ error: error.message, faults: error.faults });
    else warn(`${paint('red', `joinery ${name}:`, process.stderr)} ${error.message}`);
    process.exitCode = 1;
  }
}

/** A line that is written over on a terminal, and nowhere else. */
export function progress(text: string | undefined): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(`\r\u001b[2K${text ?? ''}`);
}
