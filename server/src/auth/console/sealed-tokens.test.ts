import { expect, it } from 'vitest';
import { signInSettings } from '../../../test/support/http/sign-in-provider.ts';
import { createSealedTokens } from './sealed-tokens.ts';

it('opens what it has sealed, also with a former admin secret', async () => {
  const token = await createSealedTokens(signInSettings).seal('session', { name: 'ada' }, 60);
  expect(token).not.toContain('ada');
  const rotated = createSealedTokens({ ...signInSettings, adminSecrets: ['next', 'hush'] });
  expect(await rotated.open('session', token)).toMatchObject({ content: { name: 'ada' } });
});

it('rejects tokens that are expired, changed, of another kind or of another secret', async () => {
  let now = Date.now();
  const tokens = createSealedTokens(signInSettings, () => now);
  const token = await tokens.seal('session', { name: 'ada' }, 60);
  expect(await tokens.open('login', token)).toBeUndefined();
  expect(await tokens.open('session', `${token.slice(0, -4)}AAAA`)).toBeUndefined();
  for (const other of [{ clientSecret: 'another secret of it' }, { adminSecrets: ['b'] }, { clientId: 'b' }]) {
    expect(await createSealedTokens({ ...signInSettings, ...other }).open('session', token)).toBeUndefined();
  }
  now += 61_000;
  expect(await tokens.open('session', token)).toBeUndefined();
});

it('needs an admin secret to seal, and opens nothing without one', async () => {
  const token = await createSealedTokens(signInSettings).seal('session', { name: 'ada' }, 60);
  const tokens = createSealedTokens({ ...signInSettings, adminSecrets: [] });
  expect(await tokens.open('session', token)).toBeUndefined();
  await expect(tokens.seal('session', {}, 60)).rejects.toThrow('sessions of the console need an admin secret');
});

it('opens a token with the time of its expiry, in whole seconds', async () => {
  const tokens = createSealedTokens(signInSettings, () => 1_000_000_000_999);
  const opened = await tokens.open('login', await tokens.seal('login', { state: 'a' }, 60));
  expect(opened).toEqual({ content: { state: 'a' }, expiresAt: 1_000_000_060_000 });
});

it('opens no token that is longer than a cookie of its own', async () => {
  const tokens = createSealedTokens(signInSettings);
  expect(await tokens.open('session', await tokens.seal('session', { name: 'a'.repeat(4_096) }, 60))).toBeUndefined();
});

it('opens a token of 4,096 characters', async () => {
  const tokens = createSealedTokens(signInSettings);
  let token = '';
  for (let length = 2_800; token.length < 4_096; length += 1) {
    token = await tokens.seal('session', { name: 'a'.repeat(length) }, 60);
  }
  expect([token.length, await tokens.open('session', token)]).toEqual([4_096, expect.anything()]);
});

it.each(['issuer', 'redirectUrl'] as const)('opens no token of another %s', async (member) => {
  const token = await createSealedTokens(signInSettings).seal('session', { name: 'ada' }, 60);
  const other = createSealedTokens({ ...signInSettings, [member]: 'https://other.example.com' });
  expect(await other.open('session', token)).toBeUndefined();
});
