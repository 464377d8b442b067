import { RoleName } from '@joinery/metadata/names';
import { expect, it } from 'vitest';
import { authorOf } from './author.ts';

const settings = { prefix: 'x-service-', adminSecrets: ['hush'], unauthorizedRole: undefined };

it.each([
  ['7', '7'],
  ['admin secret', 'user:admin secret'],
  ['oidc:ada@example.com', 'user:oidc:ada@example.com'],
  ['anonymous', 'user:anonymous'],
])('the user id %s of a token is the author %s', (id, author) => {
  const session = { role: RoleName.parse('admin'), variables: new Map([['x-service-user-id', id]]) };
  expect(authorOf({}, session, settings)).toBe(author);
});
