import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../base/errors.ts';
import { readSigner, signedMessage } from './signature.ts';

const secret = (bytes = 32): string => `whsec_${randomBytes(bytes).toString('base64')}`;
const now = (): number => Math.floor(Date.now() / 1_000);

const id = '0b6f1c9e-0000-4000-8000-000000000001';
const body = '{"amount":12345678901234567890.5,"text":"Grüße"}';

/** Returns the headers of a delivery that is signed with the keys. */
function signed(keys: string, seconds = now()): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': readSigner(keys)(signedMessage(id, seconds, body)),
  };
}

describe('an HMAC signature', () => {
  test('is accepted by the library of Standard Webhooks, and rejected for another body, id, time or key', () => {
    const key = secret();
    const headers = signed(key);
    const receiver = new Webhook(key);
    expect(receiver.verify(body, headers)).toEqual(JSON.parse(body));
    const expectRejected = (text: string, change: Record<string, string>, by = receiver) =>
      expect(() => by.verify(text, { ...headers, ...change })).toThrow(WebhookVerificationError);
    expectRejected(`${body} `, {});
    expectRejected(body, { 'webhook-id': 'another' });
    expectRejected(body, { 'webhook-timestamp': String(now() + 1) });
    expectRejected(body, {}, new Webhook(secret()));
  });

  test('equals the test vector of the specification', () => {
    const message = signedMessage('msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, '{"test": 2432232314}');
    expect(readSigner('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')(message)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });
});

test('with several keys each signature verifies, so that keys can be rotated', () => {
  const [next, last] = [secret(), secret(64)];
  for (const separator of [' ', ',', ', ', '\n']) {
    const headers = signed(`${next}${separator}${last}`);
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const key of [next, last]) expect(new Webhook(key).verify(body, headers)).toBeDefined();
  }
});

describe('an ed25519 signature', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' });
  const [seed, open] = [pkcs8.subarray(-32), publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)];

  test.each([
    ['a seed', seed],
    ['seed and public key', Buffer.concat([seed, open])],
    ['PKCS #8', pkcs8],
  ])('by a key written as %s is verified by the public key', (_form, bytes) => {
    const seconds = now();
    const [version, signature = ''] = (
      signed(`whsk_${bytes.toString('base64')}`, seconds)['webhook-signature'] ?? ''
    ).split(',');
    expect(version).toBe('v1a');
    const message = Buffer.from(signedMessage(id, seconds, body));
    const key = createPublicKey({
      key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), open]),
      format: 'der',
      type: 'spki',
    });
    expect(verify(null, message, key, Buffer.from(signature, 'base64'))).toBe(true);
    expect(verify(null, Buffer.from(`${message}x`), key, Buffer.from(signature, 'base64'))).toBe(false);
  });

  test('does not affect receivers that verify the signatures of other keys', () => {
    const key = secret();
    const headers = signed(`whsk_${seed.toString('base64')} ${key}`);
    expect(headers['webhook-signature']).toMatch(/^v1a,\S+ v1,\S+$/);
    expect(new Webhook(key).verify(body, headers)).toBeDefined();
  });
});

test.each([
  ['nothing', ' ', 'holds no signing key'],
  ['another prefix', 'sk_live_c2VjcmV0', 'must have whsec_ or whsk_'],
  ['a public key', `whpk_${randomBytes(32).toString('base64')}`, 'must have whsec_ or whsk_'],
  ['no base64', 'whsec_!!secret!!', 'must have whsec_ or whsk_'],
  ['a short secret', secret(16), '16 bytes in the whsec_ key, which must be 24 to 64'],
  ['a long secret', secret(65), '65 bytes in the whsec_ key'],
  ['another private key', `whsk_${randomBytes(48).toString('base64')}`, '48 bytes in the whsk_ key'],
  ['text before the prefix', `x${secret()}`, 'must have whsec_ or whsk_'],
  ['text after the base64', `${secret()}!`, 'must have whsec_ or whsk_'],
  [
    'only the header of PKCS #8',
    `whsk_${Buffer.from('302e020100300506032b657004220420', 'hex').toString('base64')}`,
    '16 bytes in the whsk_ key',
  ],
  ['an invalid fourth key', `${secret()} ${secret()} ${secret()} whsec_c2VjcmV0`, 'in the 4th whsec_ key'],
  ['an invalid first key', `whsec_c2VjcmV0 ${secret()}`, 'in the first whsec_ key'],
  ['an invalid second key', `${secret()} whsec_c2VjcmV0`, 'in the second whsec_ key'],
  ['an invalid third key', `${secret()} ${secret()} whsec_c2VjcmV0`, 'in the third whsec_ key'],
])('rejects %s with a message that does not contain the key', (_what, keys, message) => {
  let error: unknown;
  try {
    readSigner(keys);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(ServiceError);
  expect(String(error)).toContain(message);
  for (const key of keys.split(' ').filter((part) => part.length > 7))
    expect(String(error)).not.toContain(key.slice(6));
});
