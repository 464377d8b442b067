import { expect, it } from 'vitest';
import { allowedUser, permittingRule } from './allowed-users.ts';

const ada = { sub: '1', email: 'Ada@Example.com', email_verified: true };

it.each<readonly [rule: string, claims: Readonly<Record<string, unknown>>, permitted: boolean]>([
  ['*', { sub: '1' }, true],
  ['ada@example.com', ada, true],
  ['ADA@example.com', ada, true],
  ['ada@example.com', { ...ada, email_verified: 'true' }, true],
  ['ada@example.com', { ...ada, email_verified: undefined }, false],
  ['ada@example.com', { ...ada, email: ['ada@example.com'] }, false],
  ['@example.com', ada, true],
  ['@example.com', { ...ada, email: 'ada@notexample.com' }, false],
  ['@example.com', { ...ada, email_verified: false }, false],
  ['@example.com', { ...ada, email: 'ada@example.com.evil.example' }, false],
  ['groups=admins', { groups: ['users', 'admins'] }, true],
  ['groups=admins', { groups: 'admins' }, true],
  ['groups=admins', { groups: ['admins2'] }, false],
  ['groups=admins', { groups: { admins: true } }, false],
  ['sub=1', ada, true],
  ['realm_access.roles=admin', { realm_access: { roles: ['admin'] } }, true],
  ['https://example.com/roles=admin', { 'https://example.com/roles': ['admin'] }, true],
  ['constructor.name=Object', {}, false],
  ['level=2', { level: 2 }, true],
  ['active=true', { active: true }, true],
  ['name=undefined', {}, false],
  ['name=null', { name: null }, false],
  ['a.b=1', { a: { c: 1 } }, false],
  ['a.b=1', { a: 1 }, false],
  ['claim=a=b', { claim: 'a=b' }, true],
  ['@EXAMPLE.com', ada, true],
  ['ada@example.com', { ...ada, email: 'bob@example.com' }, false],
])('the rule %s for %j: %s', (rule, claims, permitted) => {
  expect(allowedUser(rule)?.(claims)).toBe(permitted);
});

it.each([
  '',
  '@',
  '@a@b',
  '@a b',
  '@a*',
  'a@',
  'a@b@c',
  'a b@c',
  'a@b c',
  '*@b',
  'a@*',
  '=a',
  'a b=c',
  'a=',
  'a=b\nc',
  '**',
])('the rule "%s" is malformed', (rule) => {
  expect(allowedUser(rule)).toBeUndefined();
});

it('the first rule that permits the user counts, and a malformed one permits none', () => {
  expect(permittingRule(['sub=2', 'a@', '@example.com', '*'], ada)).toBe('@example.com');
  expect(permittingRule(['sub=2'], ada)).toBeUndefined();
});
