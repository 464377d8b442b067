import { expect, test } from 'vitest';
import { camelCase, pascalCase, snakeCase } from './naming-convention.ts';

test.each([
  ['user_id', 'userId', 'UserId'],
  ['app_db_app_users', 'appDbAppUsers', 'AppDbAppUsers'],
  ['_is_null', '_isNull', 'IsNull'],
  ['_delete_at_path', '_deleteAtPath', 'DeleteAtPath'],
  ['userId', 'userId', 'UserId'],
  ['line_2', 'line2', 'Line2'],
  ['__é', '__é', 'É'],
  ['id', 'id', 'Id'],
])('%s is %s and %s', (name, camel, pascal) => {
  expect([camelCase(name), pascalCase(name)]).toEqual([camel, pascal]);
});

test('snake case reverses Pascal case', () => {
  expect(snakeCase('AggregateBoolExp')).toBe('aggregate_bool_exp');
});
