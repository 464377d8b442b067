/** The text of conditions. predicate.test.ts runs them. */
import { describe, expect, test } from 'vitest';
import { album, artist, column, compare, relationship, track } from '../../test/support/model/print-model.ts';
import { textType } from '../model/predicate/column-types.ts';
import type { Routine } from '../model/types/column-type.ts';
import type { EventCondition } from '../model/types/event-trigger.ts';
import type { Column, Predicate } from '../model/types/table.ts';
import { compile, join } from '../postgres/sql/sql.ts';
import { conditionsOn, eventCondition, seenColumn } from './predicate.ts';
import { startPrinting } from './printing.ts';

const settings = { stringifyNumerics: false };
const [one, two] = [compare(artist, 'id', '_eq', 1), compare(artist, 'id', '_eq', 2)];

describe('the condition of an event trigger', () => {
  const printed = (condition: EventCondition) =>
    compile(eventCondition(condition, { old: 'before', new: 'after' }, startPrinting(settings))).text;
  const row = (name: 'old' | 'new', where: Predicate = one): EventCondition => ({ kind: 'row', row: name, where });
  const other: Predicate = compare(artist, 'id', '_gt', {
    kind: 'column',
    of: 'root',
    path: [],
    column: column(artist, 'mentor_id'),
  });

  test.each<readonly [string, EventCondition, string]>([
    ['on the new row', row('new'), '"after"."id" = $1::int4'],
    ['on the old row', row('old'), '"before"."id" = $1::int4'],
    ['on the new row and a column of the old one', row('new', other), '"after"."id" > "before"."mentor_id"'],
    ['on the old row and a column of the new one', row('old', other), '"before"."id" > "after"."mentor_id"'],
    [
      'of several parts of a row',
      row('new', { kind: 'and', of: [one, two] }),
      '("after"."id" = $1::int4 and "after"."id" = $2::int4)',
    ],
    ['that is true for every row', row('new', { kind: 'and', of: [] }), 'true'],
    ['of nothing', { kind: 'and', of: [] }, 'true'],
    ['of no alternative', { kind: 'or', of: [] }, 'false'],
    ['of one part', { kind: 'and', of: [row('new')] }, '"after"."id" = $1::int4'],
    ['of one alternative', { kind: 'or', of: [row('new')] }, '"after"."id" = $1::int4'],
    [
      'of two parts',
      { kind: 'and', of: [row('new'), row('old', two)] },
      '("after"."id" = $1::int4 and "before"."id" = $2::int4)',
    ],
    [
      'of two alternatives',
      { kind: 'or', of: [row('new'), row('old', two)] },
      '("after"."id" = $1::int4 or "before"."id" = $2::int4)',
    ],
    ['that is not true', { kind: 'not', of: row('new') }, 'not ("after"."id" = $1::int4)'],
  ])('%s', (_what, condition, text) => {
    expect(printed(condition)).toBe(text);
  });
});

const routine = {
  schema: 'public',
  name: 'full',
  arguments: [{ name: 'row', field: 'row', type: textType, hasDefault: false, from: 'row' }],
  argumentsType: 'args',
} as const satisfies Routine;

describe('conditions on a row', () => {
  const printed = (predicate: Predicate) => {
    const printing = startPrinting(settings);
    return { text: compile(join(conditionsOn('r', predicate, printing), ' & ')).text, reads: printing.reads };
  };

  test.each<readonly [string, Predicate, string]>([
    ['of nothing', { kind: 'and', of: [] }, ''],
    [
      'of two parts',
      { kind: 'and', of: [one, { kind: 'and', of: [two] }] },
      '"r"."id" = $1::int4 & "r"."id" = $2::int4',
    ],
    ['of a rule', { kind: 'rule', of: { kind: 'and', of: [one, two] } }, '"r"."id" = $1::int4 & "r"."id" = $2::int4'],
    [
      'of alternatives',
      { kind: 'or', of: [one, { kind: 'and', of: [one, two] }] },
      '("r"."id" = $1::int4 or ("r"."id" = $2::int4 and "r"."id" = $3::int4))',
    ],
    ['of a negation', { kind: 'not', of: { kind: 'and', of: [] } }, 'not (true)'],
    [
      'of a computed field with rows',
      { kind: 'computed', routine, where: one },
      'exists (select from "public"."full"("r".*) as "t1" where "t1"."id" = $1::int4)',
    ],
    [
      'of a computed field with any row',
      { kind: 'computed', routine, where: { kind: 'and', of: [] } },
      'exists (select from "public"."full"("r".*) as "t1")',
    ],
    [
      'of another table',
      { kind: 'exists', table: track, where: compare(track, 'id', '_eq', 1) },
      'exists (select from "public"."track" as "t1" where "t1"."id" = $1::int4)',
    ],
    [
      'of related rows',
      { kind: 'related', relationship: relationship(album, 'tracks'), where: compare(track, 'id', '_eq', 1) },
      'exists (select from "public"."track" as "t1" where "t1"."album_id" = "r"."id" and "t1"."id" = $1::int4)',
    ],
  ])('%s', (_what, predicate, text) => {
    expect(printed(predicate).text).toBe(text);
  });

  test('name the tables that they read', () => {
    const { reads } = printed({ kind: 'exists', table: track, where: { kind: 'and', of: [] } });
    expect([[...reads.tables], reads.calls]).toEqual([['"public"."track"'], false]);
  });

  test('name calls of functions', () => {
    expect(printed({ kind: 'computed', routine, where: one }).reads.calls).toBe(true);
  });
});

describe('a column', () => {
  const printed = (of: Column, seen: Predicate | undefined) =>
    compile(seenColumn('r', of, seen, startPrinting(settings))).text;
  const name = column(artist, 'name');
  const computed: Column = { ...name, computed: routine };

  test.each<readonly [string, Column, Predicate | undefined, string]>([
    ['that is seen', name, undefined, '"r"."name"'],
    ['that is seen in every row', name, { kind: 'and', of: [] }, '"r"."name"'],
    ['that is seen under a condition', name, one, 'case when "r"."id" = $1::int4 then "r"."name" end'],
    [
      'that is seen under two conditions',
      name,
      { kind: 'and', of: [one, two] },
      'case when "r"."id" = $1::int4 and "r"."id" = $2::int4 then "r"."name" end',
    ],
    ['that is computed', computed, undefined, '"public"."full"("r".*)'],
    [
      'that is computed under a condition',
      computed,
      one,
      'case when "r"."id" = $1::int4 then "public"."full"("r".*) end',
    ],
  ])('%s', (_what, of, seen, text) => {
    expect(printed(of, seen)).toBe(text);
  });
});
