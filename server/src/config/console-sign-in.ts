/** The options of the sign-in to the console by OpenID Connect. */
import { z } from 'zod';
import { allowedUser } from '../auth/console/allowed-users.ts';
import type { ConsoleSignInSettings } from '../auth/console/settings.ts';
import { ServiceError } from '../base/errors.ts';
import { isLoopback } from '../base/http-client/loopback.ts';
import { type AdminSecretConfig, adminSecretsOf } from './auth.ts';
import { text, whole } from './values.ts';

/** `http` on this machine only: tokens and cookies must not be readable on the way. */
const protectedUrl = z
  .url({ protocol: /^https?$/, error: 'must be an https URL' })
  .refine(
    (written) => written.startsWith('https:') || isLoopback(new URL(written).hostname.replace(/^\[|\]$/g, '')),
    'must be an https URL; http is permitted on loopback only',
  );

const CALLBACK = '/console/oidc/callback';

const redirectUrl = protectedUrl.refine((written) => {
  const { pathname, search, hash, username } = new URL(written);
  return pathname === CALLBACK && search === '' && hash === '' && username === '';
}, `must be the public address of the service with the path ${CALLBACK}`);

const scopes = z
  .string()
  .transform((written) => written.split(/[\s,]+/).filter((scope) => scope !== ''))
  .refine((names) => names.includes('openid'), 'must contain the scope openid');

const allowed = z
  .string()
  .transform((written) =>
    written
      .split(',')
      .map((rule) => rule.trim())
      .filter((rule) => rule !== ''),
  )
  .refine((rules) => rules.length > 0, 'must name at least one user')
  .refine(
    (rules) => rules.every((rule) => allowedUser(rule) !== undefined),
    'must be e-mail addresses, domains such as @example.com, claims such as groups=admins, or * for every user of the provider, separated by commas',
  );

export const consoleSignInOptions = {
  consoleOidcIssuer: {
    name: 'CONSOLE_OIDC_ISSUER',
    meaning: 'issuer of the OpenID Connect provider that users of the console sign in with; see /docs/console-sign-in',
    fallback: undefined,
    parse: protectedUrl,
  },
  consoleOidcClientId: {
    name: 'CONSOLE_OIDC_CLIENT_ID',
    meaning: 'the id that the provider has for this service',
    fallback: undefined,
    parse: text,
  },
  consoleOidcClientSecret: {
    name: 'CONSOLE_OIDC_CLIENT_SECRET',
    meaning: 'the secret for this id; with the admin secret it also encrypts the sessions of the console',
    fallback: undefined,
    secret: true,
    parse: z.string().min(16, 'must have at least 16 characters, because sessions are encrypted with it'),
  },
  consoleOidcRedirectUrl: {
    name: 'CONSOLE_OIDC_REDIRECT_URL',
    meaning: `the public address of the service with the path ${CALLBACK}, as registered with the provider`,
    fallback: undefined,
    parse: redirectUrl,
  },
  consoleOidcAllowed: {
    name: 'CONSOLE_OIDC_ALLOWED',
    meaning:
      'users that may sign in, as admins: e-mail addresses, domains such as @example.com, claims such as groups=admins, separated by commas; * for every user of the provider',
    fallback: undefined,
    parse: allowed,
  },
  consoleOidcScopes: {
    name: 'CONSOLE_OIDC_SCOPES',
    meaning: 'scopes that are requested from the provider',
    fallback: 'openid email profile',
    parse: scopes,
  },
  consoleOidcName: {
    name: 'CONSOLE_OIDC_NAME',
    meaning: 'name of the provider on the sign-in page. Default: the host of the issuer',
    fallback: undefined,
    parse: text,
  },
  consoleOidcSessionHours: {
    name: 'CONSOLE_OIDC_SESSION_HOURS',
    meaning: 'hours after which a user of the console must sign in again',
    fallback: '8',
    parse: whole(1, 720),
  },
} as const;

interface SignInConfig extends AdminSecretConfig {
  readonly headerPrefix: string;
  readonly consoleOidcIssuer: string | undefined;
  readonly consoleOidcClientId: string | undefined;
  readonly consoleOidcClientSecret: string | undefined;
  readonly consoleOidcRedirectUrl: string | undefined;
  readonly consoleOidcAllowed: readonly string[] | undefined;
  readonly consoleOidcScopes: readonly string[];
  readonly consoleOidcName: string | undefined;
  readonly consoleOidcSessionHours: number;
}

/**
 * Returns the settings of the sign-in; undefined if it is not configured. Throws `invalid-configuration` for an incomplete
 * configuration, and for one without an admin secret, where every caller is admin.
 */
export function consoleSignInOf(config: SignInConfig): ConsoleSignInSettings | undefined {
  const {
    consoleOidcIssuer: issuer,
    consoleOidcClientId: clientId,
    consoleOidcClientSecret: clientSecret,
    consoleOidcRedirectUrl: redirectUrl,
    consoleOidcAllowed: allowedUsers,
  } = config;
  const required = { ISSUER: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, REDIRECT_URL: redirectUrl };
  const given = Object.values({ ...required, allowedUsers, name: config.consoleOidcName });
  if (given.every((value) => value === undefined)) return undefined;
  const missing = Object.entries(required).flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (issuer === undefined || clientId === undefined || clientSecret === undefined || redirectUrl === undefined) {
    const names = missing.map((name) => `JOINERY_CONSOLE_OIDC_${name}`).join(', ');
    throw invalid(`the sign-in to the console by OpenID Connect is incomplete; set ${names}`);
  }
  if (allowedUsers === undefined) {
    throw invalid(
      'JOINERY_CONSOLE_OIDC_ALLOWED is not set: every user of the provider would be admin. Name the users that may sign in, or set it to * if that is intended',
    );
  }
  const adminSecrets = adminSecretsOf(config);
  if (adminSecrets.length === 0) {
    throw invalid(
      'JOINERY_CONSOLE_OIDC_ISSUER is set without an admin secret, so that every caller is admin without signing in; set JOINERY_ADMIN_SECRET',
    );
  }
  return {
    ...{ issuer, clientId, clientSecret, redirectUrl, allowedUsers, adminSecrets },
    prefix: config.headerPrefix,
    scopes: config.consoleOidcScopes,
    name: config.consoleOidcName ?? new URL(issuer).host,
    sessionSeconds: config.consoleOidcSessionHours * 3_600,
  };
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid-configuration', message);
}
