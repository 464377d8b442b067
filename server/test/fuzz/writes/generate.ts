/** Generates random nested inserts, upserts and updates of a writer, and the expected rows. */
import { Name, type Printed, printOperation } from '../print.ts';
import type { Random } from '../random.ts';
import { type Conflict, type NewRow, type NewRows, Rejection, WriteModel } from './model.ts';
import { type Relation, type Row, type Rows, rules, type TableName, tableNames, type Writer } from './tables.ts';

export interface Write extends Printed {
  readonly outcome: { readonly data: Readonly<Record<string, unknown>>; readonly rows: Rows } | Rejection;
}

type Print = (value: unknown, type: string) => string;

interface Step {
  readonly print: (value: Print) => string;
  /** Returns the expected result of the field. */
  readonly run: (model: WriteModel) => unknown;
}

export function generateWriter(random: Random): Writer {
  return {
    role: random.pick(['writer', 'inherited'] as const),
    user: 1 + random.below(4),
    tenant: random.pick(['red', 'blue']),
  };
}

export function generateWrite(random: Random, writer: Writer, before: Rows): Write {
  const steps = Array.from({ length: random.oneIn(5) ? 2 : 1 }, () =>
    random.oneIn(4) ? generateUpdate(random) : generateInsert(random, writer),
  );
  const printed = printOperation(random, 'mutation', (value) =>
    steps.map(({ print }, index) => `m${index}: ${print(value)}`).join(' '),
  );
  const model = new WriteModel(before, writer);
  try {
    const data = Object.fromEntries(steps.map(({ run }, index) => [`m${index}`, run(model)]));
    return { ...printed, outcome: { data, rows: model.rows } };
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return { ...printed, outcome: error };
  }
}

function generateInsert(random: Random, writer: Writer): Step {
  const table = random.pick(tableNames.filter((name) => name !== 'badge'));
  const conflict = generateConflict(random, table);
  const nesting = random.oneIn(4) ? [] : rules[table].relations.filter(() => !random.oneIn(3));
  // Either all rows have nested rows for a relationship with the same conflict clause, or none has.
  const upserts = new Map(nesting.map((relation) => [relation, generateConflict(random, relation.target)]));
  const rows = distinct(random, random.oneIn(3) ? 2 + random.below(2) : 1).map((id) =>
    generateRow(random, table, id, writer, upserts, []),
  );
  const objects = rows.map(inputOf);
  const upsert = conflict === undefined ? '' : ', on_conflict: ';
  return {
    print: (value) => {
      const given = value(objects, `[${table}_insert_input!]!`);
      const printed = conflict === undefined ? '' : value(conflictValue(table, conflict), `${table}_on_conflict`);
      return `insert_${table}(objects: ${given}${upsert}${printed}) { affected_rows }`;
    },
    run: (model) => {
      const start = model.affected;
      for (const row of rows) model.insert(table, row, conflict);
      return { affected_rows: model.affected - start };
    },
  };
}

function distinct(random: Random, count: number): readonly number[] {
  return [...new Set(Array.from({ length: count }, () => 1 + random.below(22)))];
}

type Upserts = ReadonlyMap<Relation, Conflict | undefined>;

function generateRow(
  random: Random,
  table: TableName,
  id: number,
  writer: Writer,
  upserts: Upserts,
  determined: readonly string[],
): NewRow {
  const nested = [...upserts].map(([relation, conflict]): NewRows => {
    const { target, many, before, on } = relation;
    const below = before ? nestedBelow(random, target) : new Map<Relation, Conflict | undefined>();
    const ids = distinct(random, many ? 1 + random.below(2) : 1).map((one) => (random.oneIn(2) ? writer.user : one));
    const rows = [...new Set(ids)].map((one) =>
      generateRow(random, target, one, writer, below, before ? [] : Object.values(on)),
    );
    return { relation, conflict, rows };
  });
  const taken = new Set([...determined, ...nested.flatMap(({ relation }) => keysHere(relation))]);
  const columns = rules[table].insert.columns.filter((column) => !taken.has(column));
  const given = columns.flatMap((column) => {
    if (column === 'id') return [[column, id] as const];
    return rules[table].key.includes(column) || !random.oneIn(4)
      ? [[column, valueFor(random, column, writer)] as const]
      : [];
  });
  return { given: Object.fromEntries(given), nested };
}

/** Returns the nested inserts of a row that is inserted before its parent, such as the badge of an author. */
function nestedBelow(random: Random, table: TableName): Upserts {
  const relations = random.oneIn(2) ? rules[table].relations.filter(({ many, before }) => !many && !before) : [];
  return new Map(relations.map((relation) => [relation, generateConflict(random, relation.target)]));
}

function keysHere({ before, on }: Relation): readonly string[] {
  return before ? Object.keys(on) : [];
}

function valueFor(random: Random, column: string, { tenant }: Writer): unknown {
  switch (column) {
    case 'tenant':
      return random.oneIn(2) ? tenant : random.pick(['red', 'blue']);
    case 'post_id':
      return random.oneIn(5) ? null : 1 + random.below(4);
    case 'name':
    case 'title':
      return random.oneIn(3) ? null : `${column} ${random.below(40)}`;
    case 'body':
      return random.pick(['text', 'more', 'bad']);
    default:
      return random.pick(['gold', 'tin']);
  }
}

function generateConflict(random: Random, table: TableName): Conflict | undefined {
  if (random.oneIn(2)) return undefined;
  const { columns } = rules[table].update;
  return {
    columns: random.oneIn(4) ? [] : random.some(columns, columns.length),
    below: random.oneIn(4) ? random.below(20) : undefined,
  };
}

function conflictValue(table: TableName, { columns, below }: Conflict): unknown {
  return {
    constraint: new Name(`${table}_pkey`),
    update_columns: columns.map((column) => new Name(column)),
    ...(below !== undefined && { where: { id: { _lt: below } } }),
  };
}

function inputOf({ given, nested }: NewRow): Row {
  const related = nested.map(({ relation, rows, conflict }) => {
    const { name, many, target } = relation;
    const values = rows.map(inputOf);
    const data = many ? values : values[0];
    return [name, { data, ...(conflict && { on_conflict: conflictValue(target, conflict) }) }] as const;
  });
  return { ...given, ...Object.fromEntries(related) };
}

interface Update {
  readonly where: unknown;
  readonly holds: (row: Row) => boolean;
  readonly set: Row;
}

function generateChange(random: Random, table: TableName): Update {
  const low = random.below(20);
  const many = table === 'comment' ? 3 : 1;
  const { columns } = rules[table].update;
  const set = Object.fromEntries(
    random
      .some(columns, 2)
      .map((column) => [column, valueFor(random, column, { role: 'writer', user: 1, tenant: 'red' })]),
  );
  return {
    where: { id: { _gte: low, _lt: low + many } },
    holds: ({ id }) => Number(id) >= low && Number(id) < low + many,
    set,
  };
}

function generateUpdate(random: Random): Step {
  const table = random.pick(['author', 'article', 'comment', 'post'] as const);
  const updates = Array.from({ length: 1 + random.below(3) }, () => generateChange(random, table));
  const [first] = updates;
  const run = (model: WriteModel, { holds, set }: Update) => ({ affected_rows: model.update(table, holds, set) });
  if (first !== undefined && random.oneIn(2)) {
    return {
      print: (value) =>
        `update_${table}(where: ${value(first.where, `${table}_bool_exp!`)}, _set: ${value(first.set, `${table}_set_input`)}) { affected_rows }`,
      run: (model) => run(model, first),
    };
  }
  const given = updates.map(({ where, set }) => ({ where, _set: set }));
  return {
    print: (value) => `update_${table}_many(updates: ${value(given, `[${table}_updates!]!`)}) { affected_rows }`,
    run: (model) => updates.map((one) => run(model, one)),
  };
}
