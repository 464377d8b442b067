import { expect, test } from 'vitest';
import {
  createFunctionSql,
  definitionErrors,
  dropFunctionSql,
  type FunctionDraft,
  replaceFunctionSql,
  restoreFunctionSql,
} from './function-sql.ts';

const draft: FunctionDraft = {
  schema: 'shop',
  name: 'Total',
  arguments: 'self public."order"',
  result: 'numeric',
  language: 'sql',
  volatility: 'stable',
  body: 'select self.net * 1.19',
};

test('creates a function, with a quote that its body does not contain', () => {
  expect(createFunctionSql(draft)).toBe(`create function shop."Total"(self public."order") returns numeric
language sql stable as $$
select self.net * 1.19
$$;`);
  expect(createFunctionSql({ ...draft, body: 'select $$a$$' })).toContain('as $body1$\nselect $$a$$\n$body1$;');
});

const present = {
  oid: 7,
  arguments: 'self "order"',
  result: 'numeric',
  schema: 'shop',
  name: 'total',
  identity: 'self "order"',
  definition: 'CREATE OR REPLACE FUNCTION shop.total() ...\n',
  comment: null,
};

test('replaces a function and its comment only where they differ', () => {
  expect(replaceFunctionSql(present, { definition: present.definition, comment: '' })).toBe('');
  expect(replaceFunctionSql(present, { definition: 'create or replace function a();', comment: 'sum' })).toBe(
    `create or replace function a();\ncomment on function shop.total(self "order") is 'sum';`,
  );
});

test('rejects a definition of another kind', () => {
  expect(definitionErrors({ definition: 'drop table a', comment: '' })).toHaveProperty('definition');
  expect(definitionErrors({ definition: ' create function a()', comment: '' })).toEqual({});
});

test('drops a function or procedure by the types of its arguments', () => {
  expect(dropFunctionSql(present, true)).toBe('drop function shop.total(self "order") cascade;');
  expect(dropFunctionSql({ ...present, result: null }, false)).toBe('drop procedure shop.total(self "order");');
});

test('restores a dropped function with its comment', () => {
  expect(restoreFunctionSql({ ...present, comment: 'sum' })).toBe(
    `CREATE OR REPLACE FUNCTION shop.total() ...;\ncomment on function shop.total(self "order") is 'sum';`,
  );
});
