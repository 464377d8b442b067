/** Reads a password from the file of libpq: `PGPASSFILE`, or `.pgpass` in the home folder. */
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Target } from './target.ts';

/** Returns the password of the first line that matches; undefined without one, or where other users can read the file. */
export function passwordInFile(
  { host, port, database, user }: Target,
  path = process.env.PGPASSFILE ?? join(homedir(), '.pgpass'),
): string | undefined {
  const wanted = [host.startsWith('/') ? 'localhost' : host, String(port), database, user];
  for (const line of linesOf(path)) {
    const fields = [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, field = '']) =>
      field.replaceAll(/\\(.)/g, '$1'),
    );
    if (wanted.every((value, index) => fields[index] === '*' || fields[index] === value)) return fields[wanted.length];
  }
  return undefined;
}

function linesOf(path: string): readonly string[] {
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) return [];
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith('#'));
  } catch {
    return [];
  }
}
