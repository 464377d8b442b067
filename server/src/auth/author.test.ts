import { RoleName } from '@joinery/metadata/names';
import { expect, it } from 'vitest';
import { authorOf } from './author.ts';

const settings = { prefix: 'x-service-', adminSecrets: ['hush'], unauthorizedRole: undefined };

it.each([
  ['7', '7'],
  ['admin secret', 'user:admin secret'],
  ['oidc:ada@example.com', 'user:oidc:ada@example.com'],
  ['anonymous', 'user:anonymous'],
  ['user:7', 'user:user:7'],
  ['admin secret 2', 'admin secret 2'],
  ['the admin secret', 'the admin secret'],
  ['anonymous 2', 'anonymous 2'],
  ['an oidc:user', 'an oidc:user'],
])('the user id %s of a token is the author %s', (id, author) => {
  const session = { role: RoleName.parse('admin'), variables: new Map([['x-service-user-id', id]]) };
  expect(authorOf({}, session, settings)).toBe(author);
});

const ofUser = { role: RoleName.parse('admin'), variables: new Map([['x-service-user-id', '7']]) };
const userless = { role: RoleName.parse('admin'), variables: new Map<string, string>() };
const withSecret = { 'x-service-admin-secret': 'hush' };
const open = { ...settings, adminSecrets: [] };

it('the user of the console is the author, with the secret or not', () => {
  expect(authorOf(withSecret, { ...ofUser, author: 'oidc:ada' }, settings)).toBe('oidc:ada');
});

it('the author of a request with the secret is the secret, whichever user it names', () => {
  expect(authorOf(withSecret, ofUser, settings)).toBe('admin secret');
});

it('the author of a request without a user is anonymous', () => {
  expect(authorOf({}, userless, settings)).toBe('anonymous');
});

it('without a configured secret neither a secret nor a user is the author', () => {
  expect([authorOf(withSecret, ofUser, open), authorOf({}, ofUser, open)]).toEqual(['anonymous', 'anonymous']);
});
