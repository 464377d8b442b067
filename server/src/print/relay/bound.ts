/** Prints the condition of a cursor: the rows that are sorted after it, or before it. */
import { operatorNamed } from '../../model/predicate/operators.ts';
import { operatorFor } from '../../model/predicate/operators-common.ts';
import type { ColumnType } from '../../model/types/column-type.ts';
import type { ConnectionBound, CursorPart } from '../../plan/plan/query.ts';
import { readCursor } from '../../plan/relay/cursor.ts';
import { cast, join, type Sql, slot, sql, value } from '../../postgres/sql/sql.ts';
import type { OrderedBy } from '../order.ts';

/** A term of the order, with the value of the cursor. */
interface Term {
  readonly key: Sql;
  readonly value: Sql;
  readonly type: ColumnType;
  readonly nullable: boolean;
  /** Whether the rows within the bound have larger values. */
  readonly larger: boolean;
  /** Whether nulls are within the bound of a value. */
  readonly nullsWithin: boolean;
}

/** The conditions that a row is within the bound, and that it is outside of it. */
interface BoundConditions {
  readonly within: Sql;
  readonly outside: Sql;
}

/** `keys` are the values that the row is sorted by, in the order of `parts`. */
export function boundConditions(
  bound: ConnectionBound,
  parts: readonly CursorPart[],
  keys: readonly OrderedBy[],
): BoundConditions {
  const terms = keys.flatMap((key, index) => {
    const part = parts[index];
    return part === undefined ? [] : [termOf(key, part, cursorValue(bound, parts, index), bound.side)];
  });
  const [first] = terms;
  if (first === undefined) throw new TypeError('a connection has an order');
  if (isRowComparison(terms)) {
    return {
      within: compareRows(terms, first.larger ? sql`>` : sql`<`),
      outside: compareRows(terms, first.larger ? sql`<=` : sql`>=`),
    };
  }
  const beyond = beyondOf(terms);
  // PostgreSQL uses an index for this condition, but not for the alternatives in the other.
  const start = first.nullable ? [] : [compare(first, first.larger ? '_gte' : '_lte')];
  return { within: join([...start, beyond], ' and '), outside: sql`${beyond} is not true` };
}

function termOf({ by, term }: OrderedBy, part: CursorPart, given: Sql, side: ConnectionBound['side']): Term {
  const after = side === 'after';
  return {
    key: by,
    value: given,
    type: part.type,
    nullable: part.nullable,
    larger: (term.direction === 'asc') === after,
    nullsWithin: (term.nulls === 'last') === after,
  };
}

function cursorValue({ at }: ConnectionBound, parts: readonly CursorPart[], index: number): Sql {
  const type = parts[index]?.type ?? { sqlName: 'text' };
  if ('values' in at) return cast(value(at.values[index]), type);
  const { variable: name, path } = at;
  return cast(slot({ kind: 'variable', name, encode: (given) => readCursor(given, parts, path)[index] }), type);
}

/** Whether the terms can be compared as one row, for which PostgreSQL uses an index with several columns. */
function isRowComparison(terms: readonly Term[]): boolean {
  return terms.every(
    (one) => !one.nullable && one.larger === terms[0]?.larger && one.type.extensionSchema === undefined,
  );
}

function compareRows(terms: readonly Term[], operator: Sql): Sql {
  const keys = join(
    terms.map(({ key }) => key),
    ', ',
  );
  const values = join(
    terms.map((term) => term.value),
    ', ',
  );
  return terms.length === 1 ? sql`${keys} ${operator} ${values}` : sql`(${keys}) ${operator} (${values})`;
}

/** `(a > $1 or (a = $1 and (b > $2 or ...)))`. */
function beyondOf([first, ...rest]: readonly Term[]): Sql {
  if (first === undefined) return sql`false`;
  const strictly = strictlyBeyond(first);
  return rest.length === 0 ? strictly : sql`(${strictly} or (${equals(first)} and ${beyondOf(rest)}))`;
}

function strictlyBeyond(term: Term): Sql {
  const { key, value: given, nullable, nullsWithin } = term;
  const compared = compare(term, term.larger ? '_gt' : '_lt');
  if (!nullable) return compared;
  const [isNull, isValue] = nullsWithin ? [key, given] : [given, key];
  return sql`(${compared} or (${isNull} is null and ${isValue} is not null))`;
}

function equals(term: Term): Sql {
  const compared = compare(term, '_eq');
  return term.nullable ? sql`(${compared} or (${term.key} is null and ${term.value} is null))` : compared;
}

const symbols = { _eq: sql`=`, _gt: sql`>`, _lt: sql`<`, _gte: sql`>=`, _lte: sql`<=` };
/** The operators by which hstore is sorted. */
const ofHstore = { ...symbols, _gt: sql`#>#`, _lt: sql`#<#`, _gte: sql`#>=#`, _lte: sql`#<=#` };

function compare({ key, value: given, type }: Term, name: keyof typeof symbols): Sql {
  if (type.family === 'hstore') return sql`${key} ${operatorFor(type, ofHstore[name])} ${given}`;
  return operatorNamed(name, type)?.print(key, given, type) ?? sql`${key} ${symbols[name]} ${given}`;
}
