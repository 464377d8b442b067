/** A small model and the SQL of its tables, for tests of printed statements. */

import type { FieldName, SourceName } from '@joinery/metadata/names';
import { arrayOf, builtInTypes } from '../../../src/model/predicate/column-types.ts';
import { operatorNamed } from '../../../src/model/predicate/operators.ts';
import type { ColumnType } from '../../../src/model/types/column-type.ts';
import type { Operator } from '../../../src/model/types/operator.ts';
import type { Column, Operand, Predicate, Relationship, Table } from '../../../src/model/types/table.ts';
import type { FieldPlan, OrderTerm, RowsPlan } from '../../../src/plan/plan/query.ts';
import type { Database } from '../../../src/postgres/client/pool.ts';
import { type Bindings, bind, compile, type Sql } from '../../../src/postgres/sql/sql.ts';
import { plainColumn, writeDefaults } from './table-defaults.ts';

export const tables = `
  create table artist (id int primary key, name text, mentor_id int references artist);
  create table album (
    id int primary key, title text not null, artist_id int references artist, price numeric, copies bigint,
    score float8, meta jsonb, tags text[], prices numeric[], released timestamptz, raw bytea, seller text
  );
  create table track (id int primary key, album_id int references album, name text, seconds int);
  insert into artist values (1, 'Ann', null), (2, 'Bo', 1), (3, null, 2);
  insert into album values
    (1, 'First', 1, 12345678901234567890.10, 9007199254740993, 0.1, '{"a": {"b": [1, 2]}}', '{x,y}', '{1.50,2}',
      '2024-01-01 10:00:00+00', '\\x01ff', 'Ann'),
    (2, 'Second', 1, 5, 2, 'NaN', '[]', '{}', null, 'infinity', null, 'Bo'),
    (3, 'Third', 2, null, null, '-infinity', null, null, null, null, null, 'Bo'),
    (4, 'Fourth', null, 7.5, 4, 4e300, '"text"', '{z}', '{{1},{2}}', '2024-06-01', null, null);
  insert into track values (1, 1, 'a', 100), (2, 1, 'b', 250), (3, 2, 'c', 50), (4, 1, 'b', null), (5, null, 'd', 10);
`;

function builtIn(name: string): ColumnType {
  const type = builtInTypes.get(name);
  if (type === undefined) throw new Error(`no built-in type ${name}`);
  return type;
}

interface FixtureTable extends Table {
  readonly relationships: Map<string, Relationship>;
}

function table(name: string, types: Readonly<Record<string, ColumnType>>, key = true): FixtureTable {
  const columns = new Map(
    Object.entries(types).map(([column, type]): [string, Column] => [
      column,
      { name: column, field: column, type, nullable: true, comment: undefined, ...plainColumn },
    ]),
  );
  const id = columns.get('id');
  return {
    source: 'default' as SourceName,
    schema: 'public',
    name,
    graphqlName: name,
    roots: { select: name, select_by_pk: `${name}_by_pk`, select_aggregate: `${name}_aggregate` },
    streamRoot: `${name}_stream`,
    connectionRoot: `${name}_connection`,
    comment: undefined,
    columns,
    columnsByName: columns,
    primaryKey: key && id !== undefined ? [id] : undefined,
    uniqueKeys: [],
    relationships: new Map(),
    joins: new Map(),
    selectAccess: new Map(),
    ...writeDefaults(name),
  };
}

const int = builtIn('Int');
const text = builtIn('String');

export const artist = table('artist', { id: int, name: text, mentor_id: int });
export const album = table('album', {
  id: int,
  title: text,
  artist_id: int,
  price: builtIn('numeric'),
  copies: builtIn('bigint'),
  score: builtIn('float8'),
  meta: builtIn('jsonb'),
  tags: arrayOf(text),
  prices: arrayOf(builtIn('numeric')),
  released: builtIn('timestamptz'),
  raw: builtIn('bytea'),
  seller: text,
});
export const track = table('track', { id: int, album_id: int, name: text, seconds: int });

/** Returns a column by name. Throws if it does not exist. */
export function column(of: Table, name: string): Column {
  const found = of.columns.get(name);
  if (found === undefined) throw new Error(`no column ${name}`);
  return found;
}

function relate(
  kind: Relationship['kind'],
  from: FixtureTable,
  name: string,
  target: Table,
  mapping: [string, string],
) {
  from.relationships.set(name, {
    kind,
    name: name as FieldName,
    target,
    mapping: [{ from: column(from, mapping[0]), to: column(target, mapping[1]) }],
    nullable: true,
    comment: undefined,
  });
}

relate('object', artist, 'mentor', artist, ['mentor_id', 'id']);
relate('array', artist, 'albums', album, ['id', 'artist_id']);
relate('object', album, 'artist', artist, ['artist_id', 'id']);
relate('array', album, 'tracks', track, ['id', 'album_id']);
/** An object relationship that matches several albums returns the first. */
relate('object', artist, 'some_album', album, ['name', 'seller']);
relate('object', track, 'album', album, ['album_id', 'id']);

export function relationship(of: Table, name: string): Relationship {
  const found = of.relationships.get(name);
  if (found === undefined) throw new Error(`no relationship ${name}`);
  return found;
}

const always: Predicate = { kind: 'and', of: [] };

/** Returns the predicate `{ column: { operator: value } }`. */
export function compare(of: Table, name: string, operator: string, right: unknown): Predicate {
  const left = column(of, name);
  return {
    kind: 'compare',
    left: { column: left, cast: undefined },
    operator: operatorOf(operator, left.type),
    right: isOperand(right) ? right : { kind: 'constant', value: right },
  };
}

export function operatorOf(name: string, type: ColumnType): Operator {
  const found = operatorNamed(name, type);
  if (found === undefined) throw new Error(`no operator ${name}`);
  return found;
}

function isOperand(value: unknown): value is Operand {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

export function rows(of: Table, fields: readonly FieldPlan[], rest: Partial<RowsPlan> = {}): RowsPlan {
  return {
    table: of,
    where: always,
    orderBy: [by(of, 'id')],
    distinctOn: [],
    limit: undefined,
    rowLimit: undefined,
    offset: undefined,
    fields,
    ...rest,
  };
}

export function by(of: Table, name: string, direction: OrderTerm['direction'] = 'asc'): OrderTerm {
  return {
    by: { kind: 'column', column: column(of, name) },
    direction,
    nulls: direction === 'asc' ? 'last' : 'first',
  };
}

/** Returns fields of columns under their own names. */
export function columns(of: Table, ...names: readonly string[]): FieldPlan[] {
  return names.map((name) => ({ kind: 'column', alias: name, column: column(of, name), path: undefined }));
}

/** Runs the statement. Returns the rows with each value parsed from JSON, nulls unchanged. */
export async function run(database: Database, printed: Sql, bindings: Partial<Bindings> = {}): Promise<unknown[][]> {
  const statement = compile(printed);
  const values = bind(statement, {
    variables: {},
    session: new Map(),
    missing: (name) => {
      throw new Error(`missing session variable ${name}`);
    },
    ...bindings,
  });
  const result = await database.query({ text: statement.text, values });
  return result.rows.map((row) => row.map((cell) => (cell === null ? null : JSON.parse(cell))));
}
