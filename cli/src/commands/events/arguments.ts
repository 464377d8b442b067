/** Reads the arguments of the commands on events, and prints their results. */
import { readFile } from 'node:fs/promises';
import { CliError } from '../../cli-error.ts';
import { type OutputFlags, paint, printJson, printLine, wantsJson } from '../../print.ts';

/** Resolves `-2h` and `+10m` from now; other text is a timestamp that the service parses. */
export function timestampOf(text: string): string {
  const delay = /^([+-])(.+)$/.exec(text);
  if (delay === null) return text;
  return new Date(Date.now() + (delay[1] === '-' ? -1 : 1) * parseDuration(delay[2] ?? '')).toISOString();
}

/** Parses JSON, the content of `@file`, or standard input for `-`. `option` is named in errors. */
export async function payloadOf(text: string | undefined, option = '--payload'): Promise<unknown> {
  if (text === undefined) return null;
  if (text === '-') {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return jsonOf(Buffer.concat(chunks).toString('utf8'), 'standard input');
  }
  if (!text.startsWith('@')) return jsonOf(text, option);
  const path = text.slice(1);
  const content = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new CliError(`${path} cannot be read: ${cause.message}`, { cause });
  });
  return jsonOf(content, path);
}

/** Throws CliError that names `from`. */
export function jsonOf(text: string, from: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CliError(`${from} is not JSON: ${(cause as Error).message}`, { cause });
  }
}

/** Prints the members that have a value, one a line. */
export function printMembers(members: object): void {
  const shown = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
  const width = Math.max(...shown.map(([name]) => name.length));
  for (const [name, value] of shown) {
    printLine(`${paint('dim', name.padEnd(width))}  ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  }
}

/** Prints the response with `-o json`, otherwise the text. */
export function printResult(flags: OutputFlags, response: unknown, text: string): void {
  if (wantsJson(flags)) printJson(response);
  else printLine(text);
}

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Parses `90s`, `1h30m` or `2d` to milliseconds. Throws CliError. */
export function parseDuration(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)([smhdw])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    throw new CliError(`"${text}" is not a duration; write it as 90s, 15m, 1h30m, 2d or 1w`);
  }
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * units[unit as keyof typeof units], 0);
}
