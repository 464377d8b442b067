/** The statement that validates a native query: it plans the SQL with null arguments and returns no row. */
import type { NativeQuery, NativeQueryArgument } from '@joinery/metadata/native-queries/schema';
import type { Catalog } from '../../postgres/catalog/catalog-types.ts';
import { scalarNamed } from './scalar-types.ts';
import { parseCode } from './template.ts';

/** Returns the statement; undefined if the template or an argument is invalid. */
export function probeOf({ code, arguments: written }: NativeQuery, catalog: Catalog): string | undefined {
  const parts = parseCode(code);
  if (typeof parts === 'string') return undefined;
  const declared = new Map<string, NativeQueryArgument>(Object.entries(written ?? {}));
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const argument = declared.get(part.argument);
    const type = argument && scalarNamed(argument.type, catalog);
    if (type === undefined || typeof type === 'string') return undefined;
    text += `(null::${type.sqlName})`;
  }
  // The first line of the SQL is the second of the statement; see `lineOf`.
  return `select * from (\n${text}\n) as "q" limit 0`;
}

/** The line of the SQL at a position (from 1) of its probe. */
export function lineOf(probe: string, position: number): number {
  const before = Array.from(probe)
    .slice(0, position - 1)
    .join('');
  const lines = probe.split('\n').length - 2;
  return Math.min(Math.max(before.split('\n').length - 1, 1), lines);
}
