/**
 * Encrypted tokens for the cookies of the console. Every node and process with the same settings reads them, and they survive a
 * restart. Their key is derived from the client secret and an admin secret, so that a change of either revokes all tokens.
 * The client secret has the entropy: a token is of no use to find a weak admin secret.
 */
import { hkdfSync } from 'node:crypto';
import { isJsonObject } from '../../base/json-value.ts';
import type { ConsoleSignInSettings } from './settings.ts';

/** What a token is for. Each kind has a key of its own. */
export type TokenKind = 'session' | 'login' | 'failure';

export interface OpenedToken {
  readonly content: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface SealedTokens {
  seal(kind: TokenKind, content: Readonly<Record<string, string>>, seconds: number): Promise<string>;
  /** Resolves with undefined for a token that is expired, changed, of another kind or of other secrets. */
  open(kind: TokenKind, token: string): Promise<OpenedToken | undefined>;
}

const algorithms = { alg: 'dir', enc: 'A256GCM' } as const;
/** Longer cookies are not tokens of this service. */
const LONGEST_TOKEN = 4_096;

export function createSealedTokens(
  { issuer, clientId, clientSecret, redirectUrl, adminSecrets }: ConsoleSignInSettings,
  now: () => number = Date.now,
): SealedTokens {
  const keysOf = (kind: TokenKind): readonly Uint8Array[] => {
    const purpose = JSON.stringify(['joinery console 1', kind, issuer, clientId, redirectUrl]);
    return adminSecrets.map((secret) => new Uint8Array(hkdfSync('sha256', clientSecret, secret, purpose, 32)));
  };
  const keys = { session: keysOf('session'), login: keysOf('login'), failure: keysOf('failure') };
  return {
    seal: async (kind, content, seconds) => {
      const { EncryptJWT } = await import('jose');
      const [key] = keys[kind];
      if (key === undefined) throw new Error('sessions of the console need an admin secret');
      const expiry = Math.floor(now() / 1_000) + seconds;
      return new EncryptJWT({ content }).setProtectedHeader(algorithms).setExpirationTime(expiry).encrypt(key);
    },
    open: async (kind, token) => {
      if (token.length > LONGEST_TOKEN) return undefined;
      const { jwtDecrypt } = await import('jose');
      for (const key of keys[kind]) {
        const opened = await jwtDecrypt(token, key, {
          keyManagementAlgorithms: [algorithms.alg],
          contentEncryptionAlgorithms: [algorithms.enc],
          requiredClaims: ['exp'],
          currentDate: new Date(now()),
        }).catch(() => undefined);
        const { content, exp } = opened?.payload ?? {};
        if (isJsonObject(content) && exp !== undefined) return { content, expiresAt: exp * 1_000 };
      }
      return undefined;
    },
  };
}
