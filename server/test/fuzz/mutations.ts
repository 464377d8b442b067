/** Generates random mutations of the table `note` and the expected rows. */

import { Unordered } from './oracle.ts';
import { type Printed, printOperation } from './print.ts';
import type { Random } from './random.ts';

export interface Note {
  readonly id: number;
  readonly owner: number;
  readonly body: string | null;
  readonly size: number | null;
}

export type Notes = ReadonlyMap<number, Note>;

/** The user whose notes the role may change. */
export const ME = 1;

export interface Mutation extends Printed {
  /** The members of `data` and the notes afterwards, or the permitted error codes. */
  readonly outcome: { readonly data: Readonly<Record<string, unknown>>; readonly notes: Notes } | readonly string[];
}

type Print = (value: unknown, type: string) => string;

interface Step {
  readonly print: (value: Print) => string;
  /** Changes `notes`, or throws a Rejection. */
  readonly run: (notes: Map<number, Note>) => unknown;
}

class Rejection extends Error {
  readonly codes: readonly string[];
  constructor(...codes: readonly string[]) {
    super(codes.join());
    this.codes = codes;
  }
}

export function generateMutation(random: Random, before: Notes): Mutation {
  const steps = Array.from({ length: random.oneIn(3) ? 2 + random.below(2) : 1 }, () => generateStep(random));
  const printed = printOperation(random, 'mutation', (value) =>
    steps.map(({ print }, index) => `m${index}: ${print(value)}`).join(' '),
  );
  const notes = new Map(before);
  try {
    const data = Object.fromEntries(steps.map(({ run }, index) => [`m${index}`, run(notes)]));
    return { ...printed, outcome: { data, notes } };
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return { ...printed, outcome: error.codes };
  }
}

function generateStep(random: Random): Step {
  const id = 1 + random.below(40);
  switch (random.below(7)) {
    case 0:
    case 1:
      return insert(random);
    case 2:
      return insertOne(random);
    case 3:
      return update(random);
    case 4:
      return updateByPk(random, id);
    case 5:
      return updateMany(random);
    default:
      return random.oneIn(2) ? remove(random) : removeByPk(id);
  }
}

const shown = '{ id owner body size }';
const response = `{ affected_rows returning ${shown} }`;

function body(random: Random): string | null {
  return random.oneIn(6) ? null : `note ${random.below(45)}`;
}

function size(random: Random): number | null {
  if (random.oneIn(12)) return random.pick([null, 999, 1000, 5000]);
  return random.below(random.oneIn(8) ? 130 : 95) - 3;
}

function generateNote(random: Random, id: number): Note {
  return { id, owner: random.oneIn(7) ? 2 : ME, body: body(random), size: size(random) };
}

interface Conflict {
  readonly columns: readonly ('body' | 'size' | 'owner')[];
  /** The condition of the conflict: only notes smaller than this are updated. */
  readonly below: number | undefined;
}

function generateConflict(random: Random): Conflict | undefined {
  if (random.oneIn(2)) return undefined;
  const columns = random.oneIn(4) ? [] : random.some(['owner', 'body', 'size'] as const, 2);
  return { columns, below: random.oneIn(3) ? random.below(60) : undefined };
}

function printConflict(conflict: Conflict | undefined): string {
  if (conflict === undefined) return '';
  const { columns, below } = conflict;
  const where = below === undefined ? '' : `, where: { size: { _lt: ${below} } }`;
  return `, on_conflict: { constraint: note_pkey, update_columns: [${columns.join(', ')}]${where} }`;
}

function insert(random: Random): Step {
  const ids = [...new Set(Array.from({ length: 1 + random.below(3) }, () => 1 + random.below(60)))];
  const rows = ids.map((id) => generateNote(random, id));
  const conflict = generateConflict(random);
  return {
    print: (value) =>
      `insert_note(objects: ${value(rows, '[note_insert_input!]!')}${printConflict(conflict)}) ${response}`,
    run: (notes) => mutationResult(insertRows(notes, rows, conflict)),
  };
}

function insertOne(random: Random): Step {
  const row = generateNote(random, 1 + random.below(60));
  const conflict = generateConflict(random);
  return {
    print: (value) => `insert_note_one(object: ${value(row, 'note_insert_input!')}${printConflict(conflict)}) ${shown}`,
    run: (notes) => insertRows(notes, [row], conflict)[0] ?? null,
  };
}

function mutationResult(rows: readonly Note[]): unknown {
  return { affected_rows: rows.length, returning: new Unordered(rows) };
}

/** PostgreSQL stops at the first constraint violation; the permission is checked after all rows are written. */
function insertRows(notes: Map<number, Note>, rows: readonly Note[], conflict: Conflict | undefined): readonly Note[] {
  const written: Note[] = [];
  let invalid = false;
  for (const row of rows) {
    const existing = notes.get(row.id);
    if (existing !== undefined && conflict !== undefined) {
      if (tooLarge(row)) throw new Rejection('permission-error');
      const { columns, below } = conflict;
      const mayChange =
        existing.owner === ME && (below === undefined || (existing.size !== null && existing.size < below));
      if (columns.length === 0 || !mayChange) continue;
      const changed = { ...existing, ...Object.fromEntries(columns.map((column) => [column, row[column]])) };
      write(notes, changed);
      invalid ||= changed.owner !== ME || !passesUpdateCheck(changed);
      written.push(changed);
      continue;
    }
    if (tooLarge(row)) throw new Rejection('permission-error');
    if (existing !== undefined) throw new Rejection('constraint-violation');
    write(notes, row);
    invalid ||= row.owner !== ME;
    written.push(row);
  }
  if (invalid) throw new Rejection('permission-error');
  return written;
}

function tooLarge({ size }: Note): boolean {
  return size !== null && size >= 1000;
}

/** Evaluates the check of the update permission, which a null size violates. */
function passesUpdateCheck({ size }: Note): boolean {
  return size !== null && size <= 100;
}

function write(notes: Map<number, Note>, note: Note): void {
  if (tooLarge(note)) throw new Rejection('permission-error');
  const taken = [...notes.values()].some(({ id, body }) => id !== note.id && body !== null && body === note.body);
  if (taken) throw new Rejection('constraint-violation');
  notes.set(note.id, note);
}

interface Change {
  readonly set: Partial<Pick<Note, 'owner' | 'body' | 'size'>>;
  readonly inc: number | undefined;
}

function generateChange(random: Random): Change {
  const inc = random.oneIn(2) ? random.below(30) - 10 : undefined;
  const set = {
    ...(random.oneIn(3) && { body: body(random) }),
    ...(random.oneIn(8) && { owner: 2 }),
    ...(inc === undefined && { size: size(random) }),
  };
  return { set, inc };
}

function printChange({ set, inc }: Change, value: Print): string {
  const parts = Object.keys(set).length === 0 ? [] : [`_set: ${value(set, 'note_set_input')}`];
  if (inc !== undefined) parts.push(`_inc: ${value({ size: inc }, 'note_inc_input')}`);
  return parts.join(', ');
}

interface Where {
  readonly condition: unknown;
  readonly holds: (note: Note) => boolean;
}

function generateWhere(random: Random): Where {
  const [low, high] = [random.below(90), random.below(60)];
  return random.pick<Where>([
    { condition: { id: { _gte: high, _lt: high + 4 } }, holds: ({ id }) => id >= high && id < high + 4 },
    {
      condition: { size: { _gt: low, _lte: low + 6 } },
      holds: ({ size }) => size !== null && size > low && size <= low + 6,
    },
    { condition: { body: { _like: `note ${low % 10}` } }, holds: ({ body }) => body === `note ${low % 10}` },
    { condition: { owner: { _eq: 2 } }, holds: ({ owner }) => owner === 2 },
    { condition: { _or: [] }, holds: () => false },
  ]);
}

function updateRows(notes: Map<number, Note>, holds: Where['holds'], { set, inc }: Change): readonly Note[] {
  const matched = [...notes.values()].filter((note) => note.owner === ME && holds(note));
  const changed = matched.map((note) => {
    const size = inc === undefined || note.size === null ? note.size : note.size + inc;
    return { ...note, size, ...set };
  });
  if (changed.length === 0) return [];
  const repeated = set.body != null && changed.length > 1;
  const taken = changed.some((note) =>
    [...notes.values()].some(({ id, body }) => set.body != null && id !== note.id && body === note.body),
  );
  // Which of two errors is reported depends on the order of the rows.
  const codes = [
    ...(repeated || taken ? ['constraint-violation'] : []),
    ...(changed.some(tooLarge) ? ['permission-error'] : []),
  ];
  if (codes.length > 0) throw new Rejection(...codes);
  if (!changed.every(passesUpdateCheck)) throw new Rejection('permission-error');
  for (const note of changed) notes.set(note.id, note);
  return changed;
}

function update(random: Random): Step {
  const [where, change] = [generateWhere(random), generateChange(random)];
  return {
    print: (value) =>
      `update_note(where: ${value(where.condition, 'note_bool_exp!')}, ${printChange(change, value)}) ${response}`,
    run: (notes) => mutationResult(updateRows(notes, where.holds, change)),
  };
}

function updateByPk(random: Random, id: number): Step {
  const change = generateChange(random);
  return {
    print: (value) =>
      `update_note_by_pk(pk_columns: ${value({ id }, 'note_pk_columns_input!')}, ${printChange(change, value)}) ${shown}`,
    run: (notes) => updateRows(notes, (note) => note.id === id, change)[0] ?? null,
  };
}

function updateMany(random: Random): Step {
  const updates = Array.from({ length: 1 + random.below(2) }, () => ({
    where: generateWhere(random),
    change: generateChange(random),
  }));
  const given = updates.map(({ where, change: { set, inc } }) => ({
    where: where.condition,
    ...(Object.keys(set).length > 0 && { _set: set }),
    ...(inc !== undefined && { _inc: { size: inc } }),
  }));
  return {
    print: (value) => `update_note_many(updates: ${value(given, '[note_updates!]!')}) ${response}`,
    run: (notes) => updates.map(({ where, change }) => mutationResult(updateRows(notes, where.holds, change))),
  };
}

function removeRows(notes: Map<number, Note>, holds: Where['holds']): readonly Note[] {
  const deleted = [...notes.values()].filter((note) => note.owner === ME && (note.size ?? 0) > 0 && holds(note));
  for (const { id } of deleted) notes.delete(id);
  return deleted;
}

function remove(random: Random): Step {
  const where = generateWhere(random);
  return {
    print: (value) => `delete_note(where: ${value(where.condition, 'note_bool_exp!')}) ${response}`,
    run: (notes) => mutationResult(removeRows(notes, where.holds)),
  };
}

function removeByPk(id: number): Step {
  return {
    print: (value) => `delete_note_by_pk(id: ${value(id, 'Int!')}) ${shown}`,
    run: (notes) => removeRows(notes, (note) => note.id === id)[0] ?? null,
  };
}
