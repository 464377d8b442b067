import { expect, test } from 'vitest';
import { replaceViewSql } from './view-sql.ts';

const table = { schema: 'public', name: 'Totals' };
const view = { table, kind: 'view', comment: 'sums', options: ['security_barrier=true'], indexes: [] } as const;

test('replaces the query of a view, and keeps its parameters', () => {
  expect(replaceViewSql(view, { query: 'select 1;\n', recreate: false })).toBe(
    'create or replace view public."Totals" with (security_barrier=true) as\nselect 1;',
  );
});

test('creates a view again with its comment', () => {
  expect(replaceViewSql(view, { query: 'select 1', recreate: true })).toBe(
    `drop view public."Totals";
create view public."Totals" with (security_barrier=true) as
select 1;
comment on view public."Totals" is 'sums';`,
  );
});

test('creates a materialized view again with its indexes', () => {
  const indexes = ['CREATE INDEX a ON public."Totals" USING btree (a)'];
  const given = { ...view, kind: 'materialized_view', comment: null, options: [], indexes } as const;
  expect(replaceViewSql(given, { query: 'select 1 as a', recreate: false })).toBe(
    `drop materialized view public."Totals";
create materialized view public."Totals" as
select 1 as a;
CREATE INDEX a ON public."Totals" USING btree (a);`,
  );
});
