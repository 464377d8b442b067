/** Tests the constants of a condition that PostgreSQL parses only when it compares them, such as regular expressions. */
import { ServiceError } from '../../base/errors.ts';
import { textType } from '../../model/predicate/column-types.ts';
import type { ColumnType } from '../../model/types/column-type.ts';
import type { EventTrigger } from '../../model/types/event-trigger.ts';
import type { Comparison } from '../../model/types/table.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { isPostgresError } from '../../postgres/sql/errors.ts';
import { runStatement } from '../../postgres/sql/rows.ts';
import { cast, literal, type Sql, sql, withConstants } from '../../postgres/sql/sql.ts';
import { eventCondition } from '../../print/predicate.ts';
import { startPrinting } from '../../print/printing.ts';

/** Data exceptions, and the syntax error of a JSON path. */
const invalidConstant = /^(22...|42601)$/;

/**
 * Throws `invalid-configuration` with the path of a constant that PostgreSQL rejects: the capture functions would fail with it at each
 * change. The transaction has the search path of these functions.
 */
export async function testConstants(query: Query, { name, table, comparisons = [] }: EventTrigger): Promise<void> {
  for (const { path, comparison } of comparisons) {
    const test = testOf(comparison);
    if (test === undefined) continue;
    try {
      await runStatement(query, test);
    } catch (error) {
      if (!isPostgresError(error) || !invalidConstant.test(error.code)) throw error;
      const message = `Inconsistent object: in table "${table.name}": in event trigger "${name}": ${error.message}`;
      throw new ServiceError('invalid-configuration', message, { path: `$.args${path.slice(1)}`, cause: error });
    }
  }
}

/** Returns a statement that makes the comparison with a sample in place of the column; undefined for other types. */
function testOf({ left, operator, right }: Comparison): Sql | undefined {
  if (right.kind !== 'constant' || typeof right.value !== 'string') return undefined;
  const type = left.cast ?? left.column.type;
  const sample = sampleOf(type, right.value);
  if (sample === undefined) return undefined;
  const column = { ...left.column, name: 'sample', type };
  const where: Comparison = { kind: 'compare', left: { column, cast: undefined }, operator, right };
  const printing = startPrinting({ stringifyNumerics: false });
  const condition = eventCondition({ kind: 'row', row: 'new', where }, { old: 'o', new: 'n' }, printing);
  return sql`select ${withConstants(condition)} from (select ${sample} as sample) n`;
}

/** Returns a string that a pattern matches up to its end, so that an escape character there is found. */
function sampleOf(type: ColumnType, pattern: string): Sql | undefined {
  switch (type.family) {
    case 'text':
      return cast(literal(`${pattern.replaceAll(/\\(.)/gs, '$1')}.`), textType);
    case 'citext':
      return cast(literal(`${pattern.replaceAll(/\\(.)/gs, '$1')}.`), type);
    case 'jsonb':
      return sql`'null'::jsonb`;
    default:
      return undefined;
  }
}
