import { expect, it } from 'vitest';
import { allowedUser } from './allowed-users.ts';

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
  ['@example.com', { ...ada, email: 'ada@example.com.evil.example' }, false],
  ['groups=admins', { groups: ['users', 'admins'] }, true],
  ['groups=admins', { groups: 'admins' }, true],
  ['groups=admins', { groups: ['admins2'] }, false],
  ['groups=admins', { groups: { admins: true } }, false],
  ['sub=1', ada, true],
  ['realm_access.roles=admin', { realm_access: { roles: ['admin'] } }, true],
  ['https://example.com/roles=admin', { 'https://example.com/roles': ['admin'] }, true],
  ['constructor.name=Object', {}, false],
])('the rule %s for %j: %s', (rule, claims, permitted) => {
  expect(allowedUser(rule)?.(claims)).toBe(permitted);
});
