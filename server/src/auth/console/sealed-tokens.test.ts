import { expect, it } from 'vitest';
import { createSealedTokens } from './sealed-tokens.ts';

const settings = {
  issuer: 'https://id.example.com',
  clientId: 'joinery',
  clientSecret: 'a secret of the provider',
  redirectUrl: 'https://api.example.com/console/oidc/callback',
  allowedUsers: ['*'],
  scopes: ['openid'],
  name: 'Example',
  sessionSeconds: 60,
  adminSecrets: ['hush'],
  prefix: 'x-service-',
};

it('opens what it has sealed, also with a former admin secret', async () => {
  const token = await createSealedTokens(settings).seal('session', { name: 'ada' }, 60);
  expect(token).not.toContain('ada');
  const rotated = createSealedTokens({ ...settings, adminSecrets: ['next', 'hush'] });
  expect(await rotated.open('session', token)).toMatchObject({ content: { name: 'ada' } });
});

it('rejects tokens that are expired, changed, of another kind or of another secret', async () => {
  let now = Date.now();
  const tokens = createSealedTokens(settings, () => now);
  const token = await tokens.seal('session', { name: 'ada' }, 60);
  expect(await tokens.open('login', token)).toBeUndefined();
  expect(await tokens.open('session', `${token.slice(0, -4)}AAAA`)).toBeUndefined();
  for (const other of [{ clientSecret: 'another secret of it' }, { adminSecrets: ['b'] }, { clientId: 'b' }]) {
    expect(await createSealedTokens({ ...settings, ...other }).open('session', token)).toBeUndefined();
  }
  now += 61_000;
  expect(await tokens.open('session', token)).toBeUndefined();
});
