/** Tests of the headers of a role and its session variables. */
import { expect, test } from 'vitest';
import { sessionHeaders } from './role-session.ts';

test('names without and with the prefix become headers beside the role', () => {
  expect(sessionHeaders(' user ', 'user-id: 1\n\nX-Service-Org-Id:a:b ', 'x-service-')).toEqual({
    'x-service-role': 'user',
    'x-service-user-id': '1',
    'x-service-org-id': 'a:b',
  });
});

test('the default role is admin', () => {
  expect(sessionHeaders('', '', 'x-service-')).toEqual({ 'x-service-role': 'admin' });
});

test('reports the invalid line', () => {
  expect(sessionHeaders('', 'user-id: 1\nnonsense', 'x-service-')).toEqual({
    problem: 'line 2 must be a name, a colon and a value, such as user-id: 1',
  });
  expect(sessionHeaders('', 'role: admin', 'x-service-')).toHaveProperty('problem');
  expect(sessionHeaders('', 'admin-secret: x', 'x-service-')).toHaveProperty('problem');
});

test('an HTTP header is not sent with the prefix of session variables', () => {
  expect(sessionHeaders('', 'Authorization: Bearer x', 'x-service-')).toEqual({
    problem:
      'line 1 is an HTTP header and not a session variable: `Authorization` would be sent as `x-service-authorization`',
  });
  expect(sessionHeaders('', 'x-service-authorization: x', 'x-service-')).toHaveProperty('x-service-authorization', 'x');
});
