/** Random mutations of the table of notes, and what must become of its rows. */

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

/** The role's own notes are those of this user. */
export const ME = 1;

export interface Mutation extends Printed {
  /** The members of `data` and the notes afterwards, or the codes of which one must come. */
  readonly outcome: { readonly data: Readonly<Record<string, unknown>>; readonly notes: Notes } | readonly string[];
}

type Print = (value: unknown, type: string) => string;

interface Step {
  readonly print: (value: Print) => string;
  /** Changes `notes`, or throws a Refusal. */
  readonly run: (notes: Map<number, Note>) => unknown;
}

class Refusal extends Error {
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
    if (!(error instanceof Refusal)) throw error;
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
  /** Only notes smaller than this. */
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
    run: (notes) => answered(insertRows(notes, rows, conflict)),
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

function answered(rows: readonly Note[]): unknown {
  return { affected_rows: rows.length, returning: new Unordered(rows) };
}

/** PostgreSQL stops at the first row that breaks a constraint; the permission looks at the rows when all are there. */
function insertRows(notes: Map<number, Note>, rows: readonly Note[], conflict: Conflict | undefined): readonly Note[] {
  const written: Note[] = [];
  let unfit = false;
  for (const row of rows) {
    const there = notes.get(row.id);
    if (there !== undefined && conflict !== undefined) {
      if (tooLarge(row)) throw new Refusal('permission-error');
      const { columns, below } = conflict;
      const mayChange = there.owner === ME && (below === undefined || (there.size !== null && there.size < below));
      if (columns.length === 0 || !mayChange) continue;
      const changed = { ...there, ...Object.fromEntries(columns.map((column) => [column, row[column]])) };
      write(notes, changed);
      unfit ||= changed.owner !== ME || !fitsUpdate(changed);
      written.push(changed);
      continue;
    }
    if (tooLarge(row)) throw new Refusal('permission-error');
    if (there !== undefined) throw new Refusal('constraint-violation');
    write(notes, row);
    unfit ||= row.owner !== ME;
    written.push(row);
  }
  if (unfit) throw new Refusal('permission-error');
  return written;
}

function tooLarge({ size }: Note): boolean {
  return size !== null && size >= 1000;
}

/** The check of the update permission: an unknown size does not fulfil it. */
function fitsUpdate({ size }: Note): boolean {
  return size !== null && size <= 100;
}

function write(notes: Map<number, Note>, note: Note): void {
  if (tooLarge(note)) throw new Refusal('permission-error');
  const taken = [...notes.values()].some(({ id, body }) => id !== note.id && body !== null && body === note.body);
  if (taken) throw new Refusal('constraint-violation');
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
  readonly given: unknown;
  readonly holds: (note: Note) => boolean;
}

function generateWhere(random: Random): Where {
  const [low, high] = [random.below(90), random.below(60)];
  return random.pick<Where>([
    { given: { id: { _gte: high, _lt: high + 4 } }, holds: ({ id }) => id >= high && id < high + 4 },
    {
      given: { size: { _gt: low, _lte: low + 6 } },
      holds: ({ size }) => size !== null && size > low && size <= low + 6,
    },
    { given: { body: { _like: `note ${low % 10}` } }, holds: ({ body }) => body === `note ${low % 10}` },
    { given: { owner: { _eq: 2 } }, holds: ({ owner }) => owner === 2 },
    { given: { _or: [] }, holds: () => false },
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
  // Which of two faults is found first depends on the order of the rows.
  const codes = [
    ...(repeated || taken ? ['constraint-violation'] : []),
    ...(changed.some(tooLarge) ? ['permission-error'] : []),
  ];
  if (codes.length > 0) throw new Refusal(...codes);
  if (!changed.every(fitsUpdate)) throw new Refusal('permission-error');
  for (const note of changed) notes.set(note.id, note);
  return changed;
}

function update(random: Random): Step {
  const [where, change] = [generateWhere(random), generateChange(random)];
  return {
    print: (value) =>
      `update_note(where: ${value(where.given, 'note_bool_exp!')}, ${printChange(change, value)}) ${response}`,
    run: (notes) => answered(updateRows(notes, where.holds, change)),
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
    where: where.given,
    ...(Object.keys(set).length > 0 && { _set: set }),
    ...(inc !== undefined && { _inc: { size: inc } }),
  }));
  return {
    print: (value) => `update_note_many(updates: ${value(given, '[note_updates!]!')}) ${response}`,
    run: (notes) => updates.map(({ where, change }) => answered(updateRows(notes, where.holds, change))),
  };
}

function removeRows(notes: Map<number, Note>, holds: Where['holds']): readonly Note[] {
  const gone = [...notes.values()].filter((note) => note.owner === ME && (note.size ?? 0) > 0 && holds(note));
  for (const { id } of gone) notes.delete(id);
  return gone;
}

function remove(random: Random): Step {
  const where = generateWhere(random);
  return {
    print: (value) => `delete_note(where: ${value(where.given, 'note_bool_exp!')}) ${response}`,
    run: (notes) => answered(removeRows(notes, where.holds)),
  };
}

function removeByPk(id: number): Step {
  return {
    print: (value) => `delete_note_by_pk(id: ${value(id, 'Int!')}) ${shown}`,
    run: (notes) => removeRows(notes, (note) => note.id === id)[0] ?? null,
  };
}
