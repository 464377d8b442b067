/** Random tables with permissions: as SQL, as metadata, and as one view for each role and table. */
import type { Random } from '../random.ts';
import { type Column, type Kind, levels, literal, moods, quote, values } from './columns.ts';
import { type Rule, randomRule } from './rules.ts';

export interface Relation {
  readonly field: string;
  /** The index of the target table. */
  readonly target: number;
  /** The columns with equal values, of this table and of the target. */
  readonly on: readonly [here: string, there: string];
  readonly many: boolean;
}

export interface Grant {
  /** Names of the columns that not every role may read, but this one. */
  readonly columns: readonly string[];
  readonly rule: Rule;
  /** The rule that new rows must satisfy. */
  readonly check: Rule;
}

export interface Table {
  readonly name: string;
  /** The name of the type and of the root field. */
  readonly type: string;
  /** Begins with `id`, `owner` and foreign keys, which every role may read. */
  readonly columns: readonly Column[];
  readonly keys: number;
  readonly relations: Relation[];
  /** The column that the computed field `twice` doubles. */
  readonly doubled: string | undefined;
  readonly grants: Readonly<Record<'one' | 'two', Grant>>;
}

export type Role = 'one' | 'two' | 'both';
export const roles: readonly Role[] = ['one', 'two', 'both'];

export interface Schema {
  readonly tables: readonly Table[];
  /** The user id of the session. */
  readonly user: number;
}

const kinds: readonly Kind[] = ['int', 'text', 'bool', 'numeric', 'date', 'mood', 'level'];
const tableNames = ['plain', 'Mixed', 'two words', 'select', 'tail_'];
const columnNames = ['a', 'Big', 'with space', 'order', 'x1', "it's"];
const ROWS = 14;

export function randomSchema(random: Random): Schema {
  const user = 1 + random.below(3);
  const count = 2 + random.below(4);
  const names = tableNames.slice(0, count);
  const tables: Table[] = [];
  const plain = (name: string): boolean => /^[a-z_0-9]+$/.test(name);
  for (const [index, name] of names.entries()) {
    const parents = random.oneIn(5)
      ? [index]
      : index === 0
        ? []
        : [...new Set([random.below(index), random.below(index)])];
    const keyColumns = parents.map((parent): Column => {
      return { name: `ref_${parent}`, field: `ref_${parent}`, kind: 'int', nullable: true };
    });
    const others = random.some(columnNames, 5).map((column, at): Column => {
      const renamed = !plain(column) || random.oneIn(3);
      return {
        name: column,
        field: renamed ? `field_${at}` : column,
        kind: random.pick(kinds),
        nullable: random.oneIn(2),
      };
    });
    const fixed: readonly Column[] = [
      { name: 'id', field: random.oneIn(4) ? 'key' : 'id', kind: 'int', nullable: false },
      { name: 'owner', field: 'owner', kind: 'int', nullable: true },
      ...keyColumns,
    ];
    const columns = [...fixed, ...others];
    const relations = parents.map((parent): Relation => {
      return { field: `parent_${parent}`, target: parent, on: [`ref_${parent}`, 'id'], many: false };
    });
    const grant = (): Grant => ({
      columns: random.some(others, others.length).map((column) => column.name),
      rule: randomRule(random, columns, user),
      check: random.oneIn(2) ? { metadata: {}, sql: () => 'true' } : randomRule(random, columns, user),
    });
    const integers = others.filter(({ kind }) => kind === 'int');
    tables.push({
      name,
      type: plain(name) && !random.oneIn(3) ? name : `Type${index}`,
      columns,
      keys: fixed.length,
      relations,
      doubled: integers[0]?.name,
      grants: { one: grant(), two: grant() },
    });
    for (const parent of parents) {
      tables[parent]?.relations.push({
        field: `children_${index}`,
        target: index,
        on: ['id', `ref_${parent}`],
        many: true,
      });
    }
  }
  return { tables, user };
}

/** Returns the names of the columns that the role may read; for the inherited role, in all its rows if `everywhere`. */
export function readable(table: Table, role: Role, everywhere = false): readonly Column[] {
  const { one, two } = table.grants;
  return table.columns.filter(({ name }, index) => {
    if (index < table.keys) return true;
    const [first, second] = [one.columns.includes(name), two.columns.includes(name)];
    if (role === 'both') return everywhere ? first && second : first || second;
    return role === 'one' ? first : second;
  });
}

const sqlTypes: Readonly<Record<Kind, string>> = {
  ...{ int: 'int', text: 'text collate "C"', bool: 'bool', numeric: 'numeric(8,2)', date: 'date', mood: 'mood' },
  level: 'text collate "C" references level',
};

/** Returns the statements that create the tables with rows, and the views. */
export function schemaSql({ tables }: Schema, random: Random): string {
  const created = tables.map((table) => {
    const columns = table.columns.map(({ name, kind, nullable }, index) => {
      const parent = /^ref_(\d)$/.exec(name)?.[1];
      const target = tables[Number(parent)]?.name;
      const more = index === 0 ? 'primary key' : target === undefined ? '' : `references ${quote(target)}`;
      return `${quote(name)} ${sqlTypes[kind]} ${more} ${nullable ? '' : 'not null'}`;
    });
    const rows = Array.from({ length: ROWS }, (_, at) => {
      const cells = table.columns.map((column, index) => {
        if (index === 0) return at + 1;
        if (column.nullable && random.oneIn(4)) return 'null';
        if (column.name.startsWith('ref_')) return 1 + random.below(ROWS);
        return index === 1 ? 1 + random.below(3) : literal(random.pick(values[column.kind]));
      });
      return `(${cells.join()})`;
    });
    const twice =
      table.doubled === undefined
        ? ''
        : `create function ${quote(`twice ${table.name}`)}(t ${quote(table.name)}) returns int language sql stable as $$ select t.${quote(table.doubled)} * 2 $$;`;
    return `create table ${quote(table.name)} (${columns.join()}); insert into ${quote(table.name)} values ${rows.join()}; ${twice}`;
  });
  return `
    drop schema if exists seen_one, seen_two, seen_both cascade; drop schema public cascade; create schema public;
    create type mood as enum (${moods.map(literal).join()});
    create table level (value text collate "C" primary key); insert into level values ${levels.map((one) => `(${literal(one)})`).join()};
    ${created.join('\n')}
    ${roles.map((role) => `create schema seen_${role}; ${tables.map((table) => viewOf(table, role, tables)).join('\n')}`).join('\n')}`;
}

function viewOf(table: Table, role: Role, tables: readonly Table[]): string {
  const granting = role === 'both' ? [table.grants.one, table.grants.two] : [table.grants[role]];
  const rules = granting.map(({ rule }) =>
    rule.sql(
      't',
      tables.map((one) => one.name),
    ),
  );
  const columns = readable(table, role).map(({ name }, index) => {
    const given = granting.flatMap(({ columns: own }, at) => (own.includes(name) ? [rules[at]] : []));
    if (index < table.keys || given.length === granting.length) return `t.${quote(name)}`;
    return `case when ${given.map((rule) => `(${rule})`).join(' or ')} then t.${quote(name)} end as ${quote(name)}`;
  });
  if (table.doubled !== undefined) columns.push(`t.${quote(table.doubled)} * 2 as "twice"`);
  const where = rules.map((rule) => `(${rule})`).join(' or ');
  return `create view seen_${role}.${quote(table.name)} as select ${columns.join()} from public.${quote(table.name)} t where ${where};`;
}

/** Returns the metadata of the tables. */
export function tablesMetadata({ tables }: Schema): readonly unknown[] {
  const entries = tables.map((table) => ({
    table: { schema: 'public', name: table.name },
    configuration: {
      ...(table.type !== table.name && { custom_name: table.type }),
      column_config: Object.fromEntries(
        table.columns
          .filter(({ name, field }) => name !== field)
          .map(({ name, field }) => [name, { custom_name: field }]),
      ),
    },
    object_relationships: relationsOf(table, tables, false),
    array_relationships: relationsOf(table, tables, true),
    ...(table.doubled !== undefined && {
      computed_fields: [{ name: 'twice', definition: { function: { schema: 'public', name: `twice ${table.name}` } } }],
    }),
    select_permissions: permissions(table, ({ columns, rule }) => ({
      columns: [...keysOf(table), ...columns],
      filter: rule.metadata,
      allow_aggregations: true,
      ...(table.doubled !== undefined && { computed_fields: ['twice'] }),
    })),
    insert_permissions: permissions(table, ({ check }) => ({
      columns: table.columns.map(({ name }) => name).filter((name) => name !== 'owner'),
      check: check.metadata,
      set: { owner: 'X-Service-User-Id' },
    })),
    update_permissions: permissions(table, ({ rule, check }) => ({
      columns: table.columns.map(({ name }) => name).filter((name) => name !== 'id'),
      filter: rule.metadata,
      check: check.metadata,
    })),
    delete_permissions: permissions(table, ({ rule }) => ({ filter: rule.metadata })),
  }));
  return [...entries, { table: { schema: 'public', name: 'level' }, is_enum: true }];
}

function keysOf(table: Table): readonly string[] {
  return table.columns.slice(0, table.keys).map(({ name }) => name);
}

function permissions(table: Table, of: (grant: Grant) => unknown): readonly unknown[] {
  return (['one', 'two'] as const).map((role) => ({ role, permission: of(table.grants[role]) }));
}

function relationsOf(table: Table, tables: readonly Table[], many: boolean): readonly unknown[] {
  return table.relations
    .filter((relation) => relation.many === many)
    .map(({ field, target, on: [here, there] }) => {
      const remote_table = { schema: 'public', name: tables[target]?.name };
      return { name: field, using: { manual_configuration: { remote_table, column_mapping: { [here]: there } } } };
    });
}
