import { expect, it } from 'vitest';
import { parseConfig } from './config.ts';
import { consoleSignInOf } from './console-sign-in.ts';

const complete = {
  JOINERY_ADMIN_SECRET: 'hush',
  JOINERY_CONSOLE_OIDC_ISSUER: 'https://id.example.com/realm',
  JOINERY_CONSOLE_OIDC_CLIENT_ID: 'joinery',
  JOINERY_CONSOLE_OIDC_CLIENT_SECRET: 'a secret of the provider',
  JOINERY_CONSOLE_OIDC_REDIRECT_URL: 'https://api.example.com/console/oidc/callback',
  JOINERY_CONSOLE_OIDC_ALLOWED: 'ada@example.com, @lab.example,groups=admins',
};

it('reads complete settings', () => {
  expect(consoleSignInOf(parseConfig(complete))).toMatchObject({
    allowedUsers: ['ada@example.com', '@lab.example', 'groups=admins'],
    scopes: ['openid', 'email', 'profile'],
    name: 'id.example.com',
    sessionSeconds: 28_800,
  });
  expect(consoleSignInOf(parseConfig({}))).toBeUndefined();
});

it.each(Object.keys(complete))('does not start without %s', (name) => {
  const { [name]: _, ...others } = complete as Readonly<Record<string, string>>;
  expect(() => parseConfig(others)).toThrow(name);
});

it.each([
  ['CLIENT_SECRET', 'short'],
  ['ISSUER', 'http://id.example.com'],
  ['REDIRECT_URL', 'http://api.example.com/console/oidc/callback'],
  ['REDIRECT_URL', 'https://api.example.com/console'],
  ['REDIRECT_URL', 'https://api.example.com/console/oidc/callback?a=b'],
  ['ALLOWED', ' , '],
  ['ALLOWED', 'admins'],
  ['ALLOWED', '*@example.com'],
  ['SCOPES', 'email profile'],
  ['SESSION_HOURS', '0'],
])('rejects the value of JOINERY_CONSOLE_OIDC_%s: %s', (name, value) => {
  expect(() => parseConfig({ ...complete, [`JOINERY_CONSOLE_OIDC_${name}`]: value })).toThrow(name);
});
