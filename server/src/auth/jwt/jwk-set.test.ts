import { exportJWK, generateKeyPair, type JWK, jwtVerify, SignJWT } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import type { HttpCall, HttpClient, HttpResponse } from '../../base/http-client/http-client.ts';
import { createJwkSet } from './jwk-set.ts';

interface Key {
  readonly jwk: JWK;
  readonly token: string;
}

let first: Key;
let second: Key;

beforeAll(async () => {
  [first, second] = await Promise.all([createKey('first'), createKey('second')]);
});

async function createKey(kid: string): Promise<Key> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const token = await new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey);
  return { jwk: { ...(await exportJWK(publicKey)), kid }, token };
}

/** A set at a URL that returns `keys`, at a time that tests advance; a fetch is held while `held` is set. */
class KeySet {
  readonly calls: HttpCall[] = [];
  time = 1_000_000;
  keys: JWK[];
  status = 200;
  headers: [string, string][] = [['cache-control', 'max-age=60']];
  held: Promise<void> | undefined;
  readonly client;
  private readonly find;

  constructor(...keys: Key[]) {
    this.keys = keys.map(({ jwk }) => jwk);
    const client: Pick<HttpClient, 'call'> = {
      call: async (call) => {
        this.calls.push(call);
        await this.held;
        return {
          status: this.status,
          headers: this.headers,
          body: JSON.stringify({ keys: this.keys }),
        } as unknown as HttpResponse;
      },
    };
    this.client = client as HttpClient;
    this.find = createJwkSet('http://keys.test/', this.client, () => this.time).find;
  }

  async verifies({ token }: Key): Promise<boolean> {
    try {
      await jwtVerify(token, this.find);
      return true;
    } catch (error) {
      if ((error as { code?: string }).code === 'ERR_JWKS_NO_MATCHING_KEY') return false;
      throw error;
    }
  }
}

test('fetches nothing before the first token', () => {
  expect(new KeySet(first).calls).toEqual([]);
});

test('fetches the keys by GET, within limits of time and size', async () => {
  const set = new KeySet(first);
  await set.verifies(first);
  expect(set.calls).toEqual([
    {
      purpose: { kind: 'key-set', name: '' },
      method: 'GET',
      url: 'http://keys.test/',
      headers: [['accept', 'application/json']],
      timeoutMs: 5_000,
      maxBytes: 1_000_000,
      overflow: 'fail',
    },
  ]);
});

test('fetches once for many tokens', async () => {
  const set = new KeySet(first);
  expect(await Promise.all([set.verifies(first), set.verifies(first)])).toEqual([true, true]);
  expect(await set.verifies(first)).toBe(true);
  expect(set.calls).toHaveLength(1);
});

test('fetches again after the age that the response permits, in the background', async () => {
  const set = new KeySet(first);
  await set.verifies(first);
  set.time += 60_000;
  await set.verifies(first);
  expect(set.calls).toHaveLength(1);
  set.time += 1;
  let release = (): void => undefined;
  set.held = new Promise((resolve) => {
    release = resolve;
  });
  expect([await set.verifies(first), set.calls.length]).toEqual([true, 2]);
  release();
});

test('uses the keys of a fetch in the background from then on', async () => {
  const set = new KeySet(first);
  await set.verifies(first);
  set.keys = [second.jwk];
  set.time += 60_001;
  await set.verifies(first);
  await expect.poll(() => set.verifies(second)).toBe(true);
  expect([await set.verifies(first), set.calls.length]).toEqual([false, 2]);
});

test('keeps the keys while they cannot be fetched, and tries again every 10 seconds', async () => {
  const set = new KeySet(first);
  await set.verifies(first);
  set.status = 500;
  set.time += 60_001;
  await set.verifies(first);
  await set.verifies(first);
  set.time += 10_000;
  expect([await set.verifies(first), set.calls.length]).toEqual([true, 2]);
  set.time += 1;
  expect([await set.verifies(first), set.calls.length]).toEqual([true, 3]);
});

test('fetches again for an unknown key, but not within 10 seconds', async () => {
  const set = new KeySet(first);
  await set.verifies(first);
  set.keys = [first.jwk, second.jwk];
  set.time += 9_999;
  expect([await set.verifies(second), set.calls.length]).toEqual([false, 1]);
  set.time += 1;
  expect([await set.verifies(second), set.calls.length]).toEqual([true, 2]);
});

test('by the clock of the process, an unknown key causes no second fetch at once', async () => {
  const set = new KeySet(first);
  const { find } = createJwkSet('http://keys.test/', set.client);
  await jwtVerify(first.token, find);
  await jwtVerify(second.token, find).catch(() => undefined);
  expect(set.calls).toHaveLength(1);
});

test('keys that stay unknown cause a fetch every 10 seconds', async () => {
  const set = new KeySet(first);
  await set.verifies(first);
  set.time += 10_000;
  expect([await set.verifies(second), set.calls.length]).toEqual([false, 2]);
  set.time += 9_999;
  expect([await set.verifies(second), set.calls.length]).toEqual([false, 2]);
});

test('an unknown key causes no fetch within 10 seconds of a failed one', async () => {
  const set = new KeySet(first);
  await set.verifies(first);
  set.time += 60_001;
  set.status = 500;
  await set.verifies(first);
  set.time += 9_999;
  expect([await set.verifies(second), set.calls.length]).toEqual([false, 2]);
});

test('two keys with the id of the token cause no other fetch', async () => {
  const set = new KeySet(first);
  set.keys = [first.jwk, first.jwk];
  const error = { code: 'ERR_JWKS_MULTIPLE_MATCHING_KEYS' };
  await expect(set.verifies(first)).rejects.toMatchObject(error);
  set.time += 10_000;
  await expect(set.verifies(first)).rejects.toMatchObject(error);
  expect(set.calls).toHaveLength(1);
});

test('a token that does not match its key causes no fetch', async () => {
  const set = new KeySet(first);
  await set.verifies(first);
  set.time += 10_000;
  const [head, , signature] = first.token.split('.');
  const changed = `${head}.${Buffer.from('{"a":1}').toString('base64url')}.${signature}`;
  await expect(set.verifies({ jwk: first.jwk, token: changed })).rejects.toThrow();
  expect(set.calls).toHaveLength(1);
});

test.each([199, 300, 500])('status %d is an error that names the URL only in its internal part', async (status) => {
  const set = new KeySet(first);
  set.status = status;
  await expect(set.verifies(first)).rejects.toMatchObject({
    code: 'unexpected',
    status: 503,
    message: 'the keys that tokens are verified with could not be fetched; try again',
    internal: { jwk_url: 'http://keys.test/', reason: `it responded with status ${status}` },
  });
});

test.each([200, 299])('status %d is accepted', async (status) => {
  const set = new KeySet(first);
  set.status = status;
  expect(await set.verifies(first)).toBe(true);
});

test('fetches again for the next token after a failed first fetch', async () => {
  const set = new KeySet(first);
  set.status = 500;
  await expect(set.verifies(first)).rejects.toThrow();
  set.status = 200;
  expect(await set.verifies(first)).toBe(true);
});
