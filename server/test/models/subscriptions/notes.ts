/** Random changes of notes and of the names of their authors, as SQL, as mutations, and on a model of the tables. */
import fc from 'fast-check';

export interface Note {
  readonly author: number;
  readonly body: string;
}

/** The committed rows. */
export interface State {
  /** By id. */
  readonly notes: ReadonlyMap<number, Note>;
  /** By the id of the author. */
  readonly names: Readonly<Record<number, string>>;
}

export const emptyState: State = { notes: new Map(), names: { 1: 'ann', 2: 'ann' } };

export type Change =
  | { readonly kind: 'insert'; readonly notes: readonly Note[] }
  /** `at` selects one of the rows. */
  | { readonly kind: 'update'; readonly at: number; readonly body: string }
  | { readonly kind: 'move'; readonly at: number; readonly author: number }
  | { readonly kind: 'delete'; readonly at: number }
  | { readonly kind: 'rename'; readonly author: number; readonly name: string };

export type Step =
  /** As SQL, or as a mutation through a node. */
  | { readonly kind: 'change'; readonly change: Change; readonly via: 'sql' | number }
  | { readonly kind: 'transaction'; readonly changes: readonly Change[]; readonly commits: boolean }
  | { readonly kind: 'reconnect'; readonly subscriber: number }
  | { readonly kind: 'wait' };

const author = fc.constantFrom(1, 2);
const body = fc.constantFrom('a', 'b', 'c');
const at = fc.nat({ max: 50 });
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('insert' as const),
      notes: fc.array(fc.record({ author, body }), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('update' as const), at, body }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('move' as const), at, author }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('rename' as const), author, name: fc.constantFrom('ann', 'bo') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), at }) },
);

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      change,
      via: fc.constantFrom<'sql' | number>('sql', 0, 1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('transaction' as const),
      changes: fc.array(change, { minLength: 1, maxLength: 4 }),
      commits: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reconnect' as const), subscriber: fc.nat({ max: 60 }) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'wait' as const }) },
);

/** A change of a row, or several new rows, with ids. */
export interface Effect {
  readonly sql: string;
  readonly mutation: string;
  readonly after: State;
}

/** Returns the effect of a change; undefined if it needs a row and there is none. New rows have the ids from `nextId` on. */
export function effectOf(change: Change, state: State, nextId: number): Effect | undefined {
  const { notes, names } = state;
  if (change.kind === 'rename') {
    const { author: id, name } = change;
    return {
      sql: `update author set name = '${name}' where id = ${id}`,
      mutation: `update_author_by_pk(pk_columns: { id: ${id} }, _set: { name: "${name}" }) { id }`,
      after: { notes, names: { ...names, [id]: name } },
    };
  }
  const changed = new Map(notes);
  const after: State = { notes: changed, names };
  if (change.kind === 'insert') {
    const rows = change.notes.map((note, index) => ({ id: nextId + index, ...note }));
    for (const { id, ...note } of rows) changed.set(id, note);
    const values = rows.map((row) => `(${row.id}, ${row.author}, '${row.body}')`).join();
    const objects = rows.map((row) => `{ id: ${row.id}, author: ${row.author}, body: "${row.body}" }`).join();
    return {
      sql: `insert into note (id, author, body) values ${values}`,
      mutation: `insert_note(objects: [${objects}]) { affected_rows }`,
      after,
    };
  }
  const ids = [...notes.keys()];
  const id = ids[change.at % Math.max(ids.length, 1)];
  const note = id === undefined ? undefined : notes.get(id);
  if (id === undefined || note === undefined) return undefined;
  if (change.kind === 'delete') {
    changed.delete(id);
    return {
      sql: `delete from note where id = ${id}`,
      mutation: `delete_note_by_pk(id: ${id}) { id }`,
      after,
    };
  }
  const edited = change.kind === 'move' ? { ...note, author: change.author } : { ...note, body: change.body };
  changed.set(id, edited);
  return {
    sql: `update note set author = ${edited.author}, body = '${edited.body}' where id = ${id}`,
    mutation: `update_note_by_pk(pk_columns: { id: ${id} }, _set: { author: ${edited.author}, body: "${edited.body}" }) { id }`,
    after,
  };
}
