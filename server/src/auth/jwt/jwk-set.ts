/** The keys behind a URL: fetched when first needed, kept as long as the answer says, fetched anew for an unknown key. */
import type { JWTVerifyGetKey } from 'jose';
import { ServiceError } from '../../base/errors.ts';
import type { HttpClient } from '../../base/http-client/http-client.ts';
import { maxAgeOf } from '../max-age.ts';

/** Milliseconds. */
const limits = {
  timeout: 5_000,
  /** Between two fetches, so that tokens with keys of their own invention do not become requests. */
  cooldown: 10_000,
};
const mostBytes = 1_000_000;

interface Fetched {
  readonly find: JWTVerifyGetKey;
  readonly at: number;
  readonly maxAge: number;
}

export interface JwkSet {
  readonly find: JWTVerifyGetKey;
}

export function createJwkSet(url: string, httpClient: HttpClient, now: () => number = Date.now): JwkSet {
  let current: Fetched | undefined;
  let fetching: Promise<Fetched> | undefined;
  let lastTry = Number.NEGATIVE_INFINITY;

  function fetchOnce(): Promise<Fetched> {
    lastTry = now();
    fetching ??= fetchKeys(url, httpClient, now).finally(() => {
      fetching = undefined;
    });
    return fetching.then((fetched) => {
      current = fetched;
      return fetched;
    });
  }

  async function keys(): Promise<Fetched> {
    if (current === undefined) return fetchOnce();
    // Nobody waits for a refresh, and the keys that are known go on counting while the URL is away.
    if (now() - current.at > current.maxAge && now() - lastTry > limits.cooldown) fetchOnce().catch(() => undefined);
    return current;
  }

  return {
    find: async (header, token) => {
      const known = await keys();
      try {
        return await known.find(header, token);
      } catch (error) {
        const unknown = (error as { code?: string }).code === 'ERR_JWKS_NO_MATCHING_KEY';
        if (!unknown || now() - known.at < limits.cooldown || now() - lastTry < limits.cooldown) throw error;
        return (await fetchOnce()).find(header, token);
      }
    },
  };
}

async function fetchKeys(url: string, httpClient: HttpClient, now: () => number): Promise<Fetched> {
  try {
    const answer = await httpClient.call({
      purpose: { kind: 'key-set', name: '' },
      method: 'GET',
      url,
      headers: [['accept', 'application/json']],
      timeoutMs: limits.timeout,
      maxBytes: mostBytes,
      overflow: 'fail',
    });
    if (answer.status !== 200) throw new Error(`it answered with status ${answer.status}`);
    const { createLocalJWKSet } = await import('jose');
    return { find: createLocalJWKSet(JSON.parse(answer.body)), at: now(), maxAge: maxAgeOf(answer.headers, now()) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ServiceError('unexpected', 'the keys that tokens are verified with could not be fetched; try again', {
      status: 503,
      internal: { jwk_url: url, reason },
      cause,
    });
  }
}
