/** Random tables with keys, relationships and permissions, as data. */
import type { Random } from '../../random.ts';
import { type Changer, randomChanger } from './changers.ts';
import type { Column, Kind, Relation } from './columns.ts';
import {
  type ComputedRows,
  type ComputedValue,
  type RootFunction,
  randomFunction,
  randomRows,
  randomValues,
} from './functions.ts';
import { type Rule, randomRule } from './rules.ts';
import { randomSources, type Source } from './sources.ts';

export interface Grant {
  /** Names of the columns that not every role may read, but this one. */
  readonly columns: readonly string[];
  /** Names of the scalar computed fields that the role may read. */
  readonly computed: readonly string[];
  readonly rule: Rule;
  /** The rule that new rows must satisfy. */
  readonly check: Rule;
}

export interface Table {
  readonly name: string;
  readonly source: Source;
  /** The name of the type and of the root field, without the affixes of the source. */
  readonly type: string;
  /** Begins with the primary key, `owner` and foreign keys, which every role may read. */
  readonly columns: readonly Column[];
  readonly keys: number;
  /** One or two columns, in the order of the constraint. */
  readonly primaryKey: readonly Column[];
  readonly relations: Relation[];
  readonly values: readonly ComputedValue[];
  readonly rows: ComputedRows[];
  /** Whether the table has relationships to the remote schema and to an action. */
  readonly joined: boolean;
  readonly grants: Readonly<Record<'one' | 'two', Grant>>;
}

export type Role = 'one' | 'two' | 'both';
export const roles: readonly Role[] = ['one', 'two', 'both'];

export interface Schema {
  readonly sources: readonly [Source, Source];
  readonly tables: readonly Table[];
  readonly functions: readonly RootFunction[];
  readonly changers: readonly Changer[];
  /** The index of the table to which the remote schema and the actions have relationships. */
  readonly joined: number;
}

const kinds: readonly Kind[] = ['int', 'text', 'bool', 'numeric', 'date', 'mood', 'level'];
const tableNames = ['plain', 'Mixed', 'two words', 'select', 'tail_'];
const columnNames = ['a', 'Big', 'with space', 'order', 'x1', "it's"];
export const ROWS = 14;

export function randomSchema(random: Random): Schema {
  const sources = randomSources(random);
  const tables: Table[] = [];
  for (const [index, name] of tableNames.slice(0, 2 + random.below(4)).entries()) {
    const source = sources[index > 0 && random.oneIn(3) ? 1 : 0];
    tables.push(randomTable(random, tables, index, { name, source }));
    for (const { field, target, on, byForeignKey } of [...(tables[index]?.relations ?? [])]) {
      const reversed = on.map(([here, there]) => [there, here] as const);
      tables[target]?.relations.push({
        field: field.replace(/^parent_\d/, `children_${index}`),
        ...{ target: index, on: reversed, many: true, byForeignKey },
      });
    }
  }
  for (const table of tables) {
    const near = tables.filter(({ source }) => source === table.source);
    if (random.oneIn(2)) table.rows.push(randomRows(random, 'rows', tables.indexOf(random.pick(near))));
  }
  const functions = [0, 1].map((index) => randomFunction(random, `find_${index}`, random.below(tables.length)));
  const changers = [randomChanger(random, 'change_0', random.below(tables.length))];
  return { sources, tables, functions, changers, joined: random.below(tables.length) };
}

/** `before`: the tables before this one. */
function randomTable(
  random: Random,
  before: readonly Table[],
  index: number,
  { name, source }: Pick<Table, 'name' | 'source'>,
): Table {
  const primaryKey = randomKey(random);
  const parents = random.oneIn(5)
    ? [index]
    : index === 0
      ? []
      : [...new Set([random.below(index), random.below(index)])];
  const references = parents.map((parent) => ({
    parent,
    pairs: shuffled(random, before[parent]?.primaryKey ?? primaryKey).map((to) => ({
      to,
      from: { ...to, name: `${to.name}_${parent}`, field: `${to.name}_${parent}`, nullable: !random.oneIn(4) },
    })),
  }));
  const relations = references.map(({ parent, pairs }): Relation => {
    const on = pairs.map(({ from, to }) => [from.name, to.name] as const);
    return { field: `parent_${parent}`, target: parent, on, many: false, byForeignKey: random.oneIn(2) };
  });
  const fixed: readonly Column[] = [
    ...primaryKey,
    { name: 'owner', field: 'owner', kind: 'int', nullable: true },
    ...references.flatMap(({ pairs }) => pairs.map(({ from }) => from)),
  ];
  const others = random.some(columnNames, 5).map((column, at): Column => {
    const renamed = !isName(column) || random.oneIn(3);
    return {
      name: column,
      field: renamed ? `field_${at}` : column,
      kind: random.pick(kinds),
      nullable: random.oneIn(2),
    };
  });
  const columns = [...fixed, ...others];
  const values = randomValues(random, columns);
  const near = relations.filter(({ target }) => target === index || before[target]?.source === source);
  const scope = { columns, parents: near, values };
  const grant = (): Grant => ({
    columns: random.some(others, others.length).map((column) => column.name),
    computed: values.length === 0 ? [] : random.some(values, values.length).map((value) => value.name),
    rule: randomRule(random, scope),
    check: random.oneIn(2) ? { metadata: {}, sql: () => 'true' } : randomRule(random, scope),
  });
  return {
    ...{ name, source },
    type: isName(name) && !random.oneIn(3) ? name : `Type${index}`,
    columns,
    keys: fixed.length,
    primaryKey,
    relations,
    ...{ values, rows: [], joined: random.oneIn(2) },
    grants: { one: grant(), two: grant() },
  };
}

/** Returns the columns of a primary key, in any order. */
function randomKey(random: Random): readonly Column[] {
  const part = { kind: 'int', nullable: false } as const;
  const id = { ...part, name: 'id', field: random.oneIn(4) ? 'key' : 'id' };
  if (random.oneIn(2)) return [{ ...id, keysTo: ROWS }];
  const number = { ...part, name: 'no', field: random.oneIn(4) ? 'number' : 'no', keysTo: 2 };
  return shuffled(random, [{ ...id, keysTo: ROWS / 2 }, number]);
}

/** Whether the name may be used in GraphQL. */
function isName(name: string): boolean {
  return /^[a-z_0-9]+$/.test(name);
}

export function shuffled<Item>(random: Random, items: readonly Item[]): readonly Item[] {
  const rest = [...items];
  return items.map(() => rest.splice(random.below(rest.length), 1)[0] as Item);
}

/** Returns the columns that the role may read, in some rows at least. */
export function readable(table: Table, role: Role): readonly Column[] {
  const { one, two } = table.grants;
  return table.columns.filter(({ name }, index) => {
    const [first, second] = [one.columns.includes(name), two.columns.includes(name)];
    return index < table.keys || (first && role !== 'two') || (second && role !== 'one');
  });
}

/** Returns the scalar computed fields that the role may read, in some rows at least. */
export function readableValues(table: Table, role: Role): readonly ComputedValue[] {
  const { one, two } = table.grants;
  const names = new Set([...(role === 'two' ? [] : one.computed), ...(role === 'one' ? [] : two.computed)]);
  return table.values.filter(({ name }) => names.has(name));
}

/** Returns what rows can be compared and ordered by: columns, and computed fields that need no argument. */
export function comparable(table: Table, role: Role): readonly Column[] {
  const values = readableValues(table, role).filter(({ step }) => step !== 'required');
  return [
    ...readable(table, role),
    ...values.map(({ name, kind }) => ({ name, field: name, kind, nullable: true }) as const),
  ];
}
