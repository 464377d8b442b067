import { expect, test } from 'vitest';
import { sessionOfUser } from './acting-user.ts';

const actAs = (user: unknown) => sessionOfUser(user, 'x-service-', '$.args.user');

test('the session has the variables of the user, in lower case and as text', () => {
  const { role, variables } = actAs({ 'X-Service-Role': 'user', 'x-service-user-id': 7, 'x-service-flag': true });
  expect([role, Object.fromEntries(variables)]).toEqual([
    'user',
    { 'x-service-role': 'user', 'x-service-user-id': '7', 'x-service-flag': 'true' },
  ]);
});

test('the secret of a user has no effect', () => {
  expect(actAs({ 'x-service-admin-secret': 'x' }).role).toBe('admin');
});

test.each([[null], [[]], ['user']])('%j is no object of session variables', (user) => {
  expect(() => actAs(user)).toThrow(
    expect.objectContaining({
      code: 'parse-failed',
      path: '$.args.user',
      message: '"user" is an object of session variables, such as { "x-service-role": "user" }',
    }),
  );
});

test.each([[null], [{}], [[]]])('a session variable is text, not %j', (value) => {
  expect(() => actAs({ 'x-service-a': value })).toThrow(
    expect.objectContaining({
      code: 'parse-failed',
      path: '$.args.user.x-service-a',
      message: 'the session variable "x-service-a" must be text',
    }),
  );
});
