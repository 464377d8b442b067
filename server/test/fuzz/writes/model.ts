/** Applies inserts and updates of a writer to tables in memory, with permissions and constraints. */
import { type Relation, type Row, type Rows, rules, type TableName, tableNames, type Writer } from './tables.ts';

export interface Conflict {
  /** The updated columns on a conflict of the primary key. */
  readonly columns: readonly string[];
  /** Only rows whose `id` is below this are changed. */
  readonly below: number | undefined;
}

export interface NewRow {
  readonly given: Row;
  readonly nested: readonly NewRows[];
}

/** Nested rows of a relationship. */
export interface NewRows {
  readonly relation: Relation;
  readonly rows: readonly NewRow[];
  readonly conflict: Conflict | undefined;
}

/** Codes of rejections. Which of several errors is reported depends on the order of the statements. */
export const codes = ['permission-error', 'constraint-violation', 'not-supported'];

/** The reason why the request must be rejected. */
export class Rejection extends Error {}

export class WriteModel {
  readonly #rows: Record<TableName, Row[]>;
  readonly #writer: Writer;
  affected = 0;

  constructor(rows: Rows, writer: Writer) {
    this.#rows = Object.fromEntries(tableNames.map((name) => [name, [...rows[name]]])) as Record<TableName, Row[]>;
    this.#writer = writer;
  }

  get rows(): Rows {
    return this.#rows;
  }

  /** Returns the stored row, undefined if a conflict leaves the existing row unchanged. */
  insert(table: TableName, { given, nested }: NewRow, conflict: Conflict | undefined): Row | undefined {
    const { columns, insert } = rules[table];
    const presets = insert.presets(this.#writer);
    const row: Record<string, unknown> = Object.fromEntries(columns.map((name) => [name, given[name] ?? null]));
    for (const { relation, rows, conflict: onConflict } of nested.filter((one) => one.relation.before)) {
      for (const one of rows) {
        const parent = this.insert(relation.target, one, onConflict);
        if (parent === undefined) throw new Rejection('missing parent row');
        for (const [here, there] of Object.entries(relation.on)) row[here] = keyBeside(presets, here, parent[there]);
      }
    }
    const stored = this.#store(table, { ...row, ...presets }, conflict);
    for (const { relation, rows, conflict: onConflict } of nested.filter((one) => !one.relation.before)) {
      if (rows.length > 0 && stored === undefined) throw new Rejection('missing parent row');
      const others = rules[relation.target].insert.presets(this.#writer);
      for (const one of rows) {
        const key = Object.entries(relation.on).map(([here, there]) => {
          return [there, keyBeside(others, there, stored?.[here])] as const;
        });
        this.insert(relation.target, { ...one, given: { ...one.given, ...Object.fromEntries(key) } }, onConflict);
      }
    }
    return stored;
  }

  #store(table: TableName, row: Row, conflict: Conflict | undefined): Row | undefined {
    const { key, insert, update } = rules[table];
    const existing = this.#rows[table].find((one) => key.every((column) => one[column] === row[column]));
    if (existing === undefined) {
      this.#write(table, undefined, row);
      if (!insert.check(row)) throw new Rejection('insert check');
      return row;
    }
    if (conflict === undefined) throw new Rejection('primary key');
    const { columns, below } = conflict;
    const mayChange = update.filter(existing, this.#writer) && (below === undefined || Number(existing.id) < below);
    if (columns.length === 0 || !mayChange) return undefined;
    const set = Object.fromEntries(columns.map((column) => [column, row[column]]));
    const changed = { ...existing, ...set, ...update.presets(this.#writer) };
    this.#write(table, existing, changed);
    if (!insert.check(changed) || !update.check(changed)) throw new Rejection('update check');
    return changed;
  }

  /** Returns the number of changed rows. */
  update(table: TableName, holds: (row: Row) => boolean, set: Row): number {
    const { update } = rules[table];
    const matched = this.#rows[table].filter((row) => update.filter(row, this.#writer) && holds(row));
    const changed = matched.map((row) => [row, { ...row, ...set, ...update.presets(this.#writer) }] as const);
    for (const [old, row] of changed) this.#write(table, old, row);
    if (!changed.every(([, row]) => update.check(row))) throw new Rejection('update check');
    return matched.length;
  }

  #write(table: TableName, old: Row | undefined, row: Row): void {
    const { unique, foreign } = rules[table];
    const others = this.#rows[table].filter((one) => one !== old);
    const taken = unique.some((column) => row[column] !== null && others.some((one) => one[column] === row[column]));
    if (taken) throw new Rejection('unique column');
    for (const { on, target } of foreign) {
      const pairs = Object.entries(on);
      if (pairs.some(([here]) => row[here] === null)) continue;
      const found = this.#rows[target].some((one) => pairs.every(([here, there]) => one[there] === row[here]));
      if (!found) throw new Rejection('foreign key');
    }
    this.#rows[table] = [...others, row];
    this.affected += 1;
  }
}

/** Returns the key. Throws if the preset of the column has another value. */
function keyBeside(presets: Row, column: string, key: unknown): unknown {
  if (Object.hasOwn(presets, column) && presets[column] !== key) throw new Rejection('preset');
  return key;
}
