import { expect, test } from 'vitest';
import { shortType } from './use-grid-columns.ts';

test.each([
  ['timestamp with time zone', 'timestamptz'],
  ['timestamp(3) without time zone', 'timestamp(3)'],
  ['character varying(20)[]', 'varchar(20)[]'],
  ['numeric(10,2)', 'numeric(10,2)'],
])('shows the type %s as %s', (type, short) => {
  expect(shortType(type)).toBe(short);
});
