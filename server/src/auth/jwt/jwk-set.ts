/** A remote key set: fetched on first use, cached as long as the response allows, and fetched again for an unknown key. */
import type { JWTVerifyGetKey } from 'jose';
import { ServiceError } from '../../base/errors.ts';
import type { HttpClient } from '../../base/http-client/http-client.ts';
import { maxAgeOf } from '../max-age.ts';

/** Milliseconds. */
const limits = {
  timeout: 5_000,
  /** Between two fetches, so that tokens with invented key ids cause no requests. */
  cooldown: 10_000,
};
const maxBytes = 1_000_000;

interface Fetched {
  readonly find: JWTVerifyGetKey;
  readonly at: number;
  readonly maxAge: number;
}

export interface JwkSet {
  readonly find: JWTVerifyGetKey;
}

/** @param now milliseconds of a clock that never jumps, so that a wrong time of the node keeps no new key away */
export function createJwkSet(url: string, httpClient: HttpClient, now: () => number = () => performance.now()): JwkSet {
  let current: Fetched | undefined;
  let fetching: Promise<Fetched> | undefined;
  let lastFetch = Number.NEGATIVE_INFINITY;

  function fetchOnce(): Promise<Fetched> {
    lastFetch = now();
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
    // The refresh runs in the background, and the cached keys stay valid while the URL is unavailable.
    if (now() - current.at > current.maxAge && now() - lastFetch > limits.cooldown) fetchOnce().catch(() => undefined);
    return current;
  }

  return {
    find: async (header, token) => {
      const cached = await keys();
      try {
        return await cached.find(header, token);
      } catch (error) {
        const unknown = (error as { code?: string }).code === 'ERR_JWKS_NO_MATCHING_KEY';
        if (!unknown || now() - lastFetch < limits.cooldown) throw error;
        return (await fetchOnce()).find(header, token);
      }
    },
  };
}

async function fetchKeys(url: string, httpClient: HttpClient, now: () => number): Promise<Fetched> {
  try {
    const response = await httpClient.call({
      purpose: { kind: 'key-set', name: '' },
      method: 'GET',
      url,
      headers: [['accept', 'application/json']],
      timeoutMs: limits.timeout,
      maxBytes,
      overflow: 'fail',
    });
    if (response.status < 200 || response.status > 299) throw new Error(`it responded with status ${response.status}`);
    const { createLocalJWKSet } = await import('jose');
    return {
      find: createLocalJWKSet(JSON.parse(response.body)),
      at: now(),
      maxAge: maxAgeOf(response.headers, Date.now()),
    };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ServiceError('unexpected', 'the keys that tokens are verified with could not be fetched; try again', {
      status: 503,
      internal: { jwk_url: url, reason },
      cause,
    });
  }
}
