/** Comparison of secrets: the sent value is compared with every secret, by hashes of equal length. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { sameSecret, sessionOf } from '../../src/auth/session.ts';
import { startService } from '../support/service/test-service.ts';

// Records the calls of the comparison, which is unchanged.
vi.mock('node:crypto', async (original) => {
  const real = await original<typeof import('node:crypto')>();
  return { ...real, timingSafeEqual: vi.fn(real.timingSafeEqual) };
});
const compared = vi.mocked(timingSafeEqual);
beforeEach(() => {
  compared.mockClear();
});
afterAll(() => vi.restoreAllMocks());

const adminSecrets = ['short', 'a much longer secret than the other ones', 'ünï'];
const settings = { prefix: 'x-service-', adminSecrets, unauthorizedRole: undefined };
const pairs = () =>
  compared.mock.calls.map((pair) => pair.map((side) => Buffer.from(side as Uint8Array).toString('hex')));
const hash = (text: string) => createHash('sha256').update(text).digest('hex');

test.each([...adminSecrets, 'wrong', '', 'x'.repeat(1_000), 'shorT'])(
  'compares the value with each secret, whether it matches or not: %j',
  (sent) => {
    const authenticate = () => sessionOf({ 'x-service-admin-secret': sent }, settings);
    if (adminSecrets.includes(sent)) expect(authenticate().role).toBe('admin');
    else expect(authenticate).toThrow(expect.objectContaining({ code: 'access-denied' }));
    expect(pairs()).toEqual(adminSecrets.map((secret) => [hash(sent), hash(secret)]));
  },
);

test('compares hashes of 32 bytes', () => {
  expect(sameSecret('Bearer a', 'Bearer a')).toBe(true);
  expect(sameSecret('Bearer', 'Bearer a')).toBe(false);
  for (const sides of compared.mock.calls) expect(sides.map((side) => side.byteLength)).toEqual([32, 32]);
  expect(compared).toHaveBeenCalledTimes(2);
});

test('a service compares a sent secret with every configured secret, whether it matches or not', async () => {
  const service = await startService({
    JOINERY_ADMIN_SECRET: 'first',
    JOINERY_ADMIN_SECRETS: '["second","third"]',
    JOINERY_METRICS_SECRET: 'fourth',
  });
  const expectComparisons = async (
    path: string,
    headers: Readonly<Record<string, string>>,
    expected: readonly string[],
  ) => {
    compared.mockClear();
    await (await fetch(service.url + path, { headers })).text();
    // Connections to the database compare signatures of the server.
    const [sent = ''] = Object.values(headers);
    const ofSent = pairs().filter(([value]) => value === hash(sent));
    expect(ofSent.map(([, secret]) => secret)).toEqual(expected.map(hash));
  };
  for (const sent of ['first', 'third', 'wrong']) {
    const three = ['first', 'second', 'third'];
    await expectComparisons('/v1/graphql?query={__typename}', { 'x-service-admin-secret': sent }, three);
    await expectComparisons('/api/swagger/json', { 'x-service-admin-secret': sent }, three);
  }
  for (const sent of ['fourth', 'fourt', 'wrong']) {
    await expectComparisons('/metrics', { authorization: `Bearer ${sent}` }, ['Bearer fourth']);
  }
  await service.stop();
});
