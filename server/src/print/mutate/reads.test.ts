/** Which parts of a response read the changed table, so that they need a second statement. */
import { expect, test } from 'vitest';
import { album, artist, column, compare, relationship, track } from '../../../test/support/model/print-model.ts';
import type { Column, Predicate, Table } from '../../model/types/table.ts';
import type { FieldPlan, OrderKey, RowsPlan } from '../../plan/plan/query.ts';
import { fieldsRead } from './reads.ts';

// The changed table is `track`.
const toTracks = relationship(album, 'tracks');
const toArtist = relationship(album, 'artist');
const every: Predicate = { kind: 'and', of: [] };
const title = column(album, 'title');
const computed: Column = { ...title, computed: {} as NonNullable<Column['computed']> };
/** A condition that reads the changed table, and one that does not. */
const reading: Predicate = { kind: 'related', relationship: toTracks, where: every };
const plain = compare(album, 'id', '_eq', 1);

const rowsOf = (more: Partial<RowsPlan> = {}): RowsPlan =>
  ({ table: album, where: every, orderBy: [], distinctOn: [], fields: [], ...more }) as unknown as RowsPlan;
const field = (one: object): FieldPlan => ({ alias: 'a', ...one }) as unknown as FieldPlan;
const rows = (more: Partial<RowsPlan>): FieldPlan =>
  field({ kind: 'array', relationship: toArtist, rows: rowsOf(more) });
const where = (condition: Predicate): FieldPlan => rows({ where: condition });
const sortedBy = (by: object): FieldPlan =>
  rows({ orderBy: [{ by: by as OrderKey }] as unknown as RowsPlan['orderBy'] });
const aggregate = (...parts: object[]): FieldPlan =>
  field({ kind: 'aggregate', relationship: toArtist, aggregate: { rows: rowsOf(), parts } });
const members = (...list: object[]): FieldPlan => aggregate({ kind: 'aggregate', members: list });
const connection = (...parts: object[]): FieldPlan =>
  field({ kind: 'connection', relationship: toArtist, connection: { rows: rowsOf(), parts } });
const aggregated = (more: object): Predicate =>
  ({
    kind: 'aggregated',
    relationship: toArtist,
    filter: every,
    arguments: [],
    tests: [],
    ...more,
  }) as unknown as Predicate;
const compared = (more: object): Predicate => ({ ...plain, ...more }) as unknown as Predicate;
const cells = new Map([[title, reading]]);
const unread = new Map([[title, plain]]);
const view: Table = { ...artist, isView: true };
const native: Table = { ...artist, native: {} as NonNullable<Table['native']> };
const into = (target: Table) => ({ ...toArtist, target });
const leading = field({ kind: 'object', relationship: toTracks, rows: rowsOf() });

test.each<readonly [string, FieldPlan, boolean]>([
  ['a constant', field({ kind: 'constant' }), false],
  ['a node id', field({ kind: 'nodeId' }), false],
  ['a join', field({ kind: 'join' }), false],
  ['a computed field', field({ kind: 'computed' }), true],
  ['a computed field with rows', field({ kind: 'computedRows' }), true],
  ['a column', field({ kind: 'column', column: title }), false],
  ['a computed column', field({ kind: 'phantom', column: computed }), true],
  ['a column under a condition', field({ kind: 'column', column: title, seen: plain }), false],
  ['a column under a condition that reads', field({ kind: 'column', column: title, seen: reading }), true],
  ['a row of the table', leading, true],
  ['rows of the table', field({ kind: 'array', relationship: toTracks, rows: rowsOf() }), true],
  ['rows of another table', rows({}), false],
  ['rows of a view', field({ kind: 'array', relationship: into(view), rows: rowsOf() }), true],
  ['rows of a native query', field({ kind: 'array', relationship: into(native), rows: rowsOf() }), true],
  ['rows with a field that reads', rows({ fields: [field({ kind: 'constant' }), leading] }), true],
  ['rows of a distinct column', rows({ distinctOn: [title] }), false],
  ['rows of a distinct column that is seen under a condition', rows({ distinctOn: [title], cells: unread }), false],
  ['rows of a distinct column that reads', rows({ distinctOn: [title], cells }), true],
  ['rows with a condition', where(plain), false],
  ['rows with a condition that reads', where(reading), true],
  ['a conjunction', where({ kind: 'and', of: [plain, reading] }), true],
  ['a disjunction', where({ kind: 'or', of: [plain, reading] }), true],
  ['a negation', where({ kind: 'not', of: reading }), true],
  ['a rule', where({ kind: 'rule', of: reading }), true],
  ['a negation that does not read', where({ kind: 'not', of: plain }), false],
  ['a comparison of a computed column', where(compared({ left: { column: computed } })), true],
  ['a comparison of a column that reads', where(compared({ left: { column: title, seen: reading } })), true],
  ['a comparison of a column that does not', where(compared({ left: { column: title, seen: plain } })), false],
  ['a comparison with a column', where(compared({ right: { kind: 'column', path: [], column: title } })), false],
  [
    'a comparison with a column of the table',
    where(compared({ right: { kind: 'column', path: [toArtist, toTracks] } })),
    true,
  ],
  [
    'a comparison with a column of another table',
    where(compared({ right: { kind: 'column', path: [toArtist] } })),
    false,
  ],
  ['a condition on related rows', where({ kind: 'related', relationship: toArtist, where: plain }), false],
  ['a condition on related rows that reads', where({ kind: 'related', relationship: toArtist, where: reading }), true],
  ['a condition on a computed field', where({ kind: 'computed', where: every } as unknown as Predicate), true],
  ['a condition on any row of the table', where({ kind: 'exists', table: track, where: every }), true],
  ['a condition on any row of another table', where({ kind: 'exists', table: artist, where: every }), false],
  ['a condition on any row of a view', where({ kind: 'exists', table: view, where: every }), true],
  ['a condition on any row that reads', where({ kind: 'exists', table: artist, where: reading }), true],
  ['a condition on an aggregate', where(aggregated({})), false],
  ['a condition on an aggregate of the table', where(aggregated({ relationship: toTracks })), true],
  ['a condition on an aggregate with a filter that reads', where(aggregated({ filter: reading })), true],
  ['a condition on an aggregate of a column that reads', where(aggregated({ arguments: [title], cells })), true],
  [
    'a condition on an aggregate of columns of which one reads',
    where(aggregated({ arguments: [column(album, 'id'), title], cells })),
    true,
  ],
  ['a condition on an aggregate of a column without cells', where(aggregated({ arguments: [title] })), false],
  ['a condition on an aggregate with a test', where(aggregated({ tests: [{ right: { kind: 'constant' } }] })), false],
  [
    'a condition on an aggregate with a test that reads',
    where(aggregated({ tests: [{ right: { kind: 'constant' } }, { right: { kind: 'column', path: [toTracks] } }] })),
    true,
  ],
  ['an order by a column', sortedBy({ kind: 'column', column: title }), false],
  ['an order by a computed column', sortedBy({ kind: 'column', column: computed }), true],
  ['an order by a column that reads', sortedBy({ kind: 'column', column: title, seen: reading }), true],
  ['an order by a column that does not', sortedBy({ kind: 'column', column: title, seen: plain }), false],
  ['an order by a place', sortedBy({ kind: 'place' }), false],
  ['an order by a function', sortedBy({ kind: 'computedAggregate' }), true],
  [
    'an order by a related column',
    sortedBy({ kind: 'related', relationship: toArtist, filter: every, key: { kind: 'column', column: title } }),
    false,
  ],
  [
    'an order by a related column of the table',
    sortedBy({ kind: 'related', relationship: toTracks, filter: every, key: { kind: 'column', column: title } }),
    true,
  ],
  [
    'an order by a related column with a filter that reads',
    sortedBy({ kind: 'related', relationship: toArtist, filter: reading, key: { kind: 'column', column: title } }),
    true,
  ],
  [
    'an order by a related column that reads',
    sortedBy({ kind: 'related', relationship: toArtist, filter: every, key: { kind: 'column', column: computed } }),
    true,
  ],
  ['an order by an aggregate', sortedBy({ kind: 'aggregate', relationship: toArtist, filter: every }), false],
  [
    'an order by an aggregate of the table',
    sortedBy({ kind: 'aggregate', relationship: toTracks, filter: every }),
    true,
  ],
  [
    'an order by an aggregate with a filter that reads',
    sortedBy({ kind: 'aggregate', relationship: toArtist, filter: reading }),
    true,
  ],
  [
    'an order by an aggregate that reads',
    sortedBy({ kind: 'aggregate', relationship: toArtist, filter: every, seen: reading }),
    true,
  ],
  ['an aggregate', aggregate(), false],
  [
    'an aggregate of the table',
    field({ kind: 'aggregate', relationship: toTracks, aggregate: { rows: rowsOf(), parts: [] } }),
    true,
  ],
  [
    'an aggregate with rows that read',
    field({ kind: 'aggregate', relationship: toArtist, aggregate: { rows: rowsOf({ where: reading }), parts: [] } }),
    true,
  ],
  ['an aggregate with nodes', aggregate({ kind: 'nodes', fields: [] }), false],
  ['an aggregate with nodes that read', aggregate({ kind: 'constant' }, { kind: 'nodes', fields: [leading] }), true],
  ['a count', members({ kind: 'count', columns: [] }), false],
  ['a count of a column', members({ kind: 'count', columns: [title] }), false],
  ['a count of a column that reads', members({ kind: 'constant' }, { kind: 'count', columns: [title], cells }), true],
  ['a sum', members({ kind: 'function', members: [{ kind: 'constant' }, { kind: 'column' }] }), false],
  [
    'a sum of a column that reads',
    members({ kind: 'function', members: [{ kind: 'constant' }, { kind: 'column', seen: reading }] }),
    true,
  ],
  [
    'a sum of a computed field',
    members({ kind: 'function', members: [{ kind: 'constant' }, { kind: 'computed' }] }),
    true,
  ],
  ['a connection', connection({ kind: 'edges', members: [{ kind: 'cursor' }] }), false],
  [
    'a connection of the table',
    field({ kind: 'connection', relationship: toTracks, connection: { rows: rowsOf(), parts: [] } }),
    true,
  ],
  [
    'a connection with rows that read',
    field({ kind: 'connection', relationship: toArtist, connection: { rows: rowsOf({ where: reading }), parts: [] } }),
    true,
  ],
  ['a connection with a node', connection({ kind: 'edges', members: [{ kind: 'node', fields: [] }] }), false],
  [
    'a connection with a node that reads',
    connection(
      { kind: 'pageInfo' },
      { kind: 'edges', members: [{ kind: 'cursor' }, { kind: 'node', fields: [leading] }] },
    ),
    true,
  ],
])('whether %s reads the changed table is %s', (_what, one, reads) => {
  expect(fieldsRead([field({ kind: 'constant' }), one], track)).toBe(reads);
});

test('a response of a changed view reads it through any relationship', () => {
  expect([rows({}), field({ kind: 'column', column: title })].map((one) => fieldsRead([one], view))).toEqual([
    true,
    false,
  ]);
});
