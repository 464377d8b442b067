/** The options of authentication, and the check that they do not contradict each other. */
import { z } from 'zod';
import { hasAmbiguousIssuer, JwtSecretsText, JwtSecretText, type JwtSettings } from '../auth/jwt/settings.ts';
import { ServiceError } from '../base/errors.ts';
import { flag, text } from './values.ts';

const secrets = z
  .string()
  .transform((written, context): unknown => {
    try {
      return JSON.parse(written);
    } catch {
      context.addIssue({ code: 'custom', message: 'must be a JSON list of secrets' });
      return z.NEVER;
    }
  })
  .pipe(z.array(text).min(1));

export const authOptions = {
  adminSecret: {
    name: 'ADMIN_SECRET',
    meaning: 'secret that authenticates a caller as admin; without it every caller is admin',
    fallback: undefined,
    secret: true,
    parse: text,
  },
  adminSecrets: {
    name: 'ADMIN_SECRETS',
    meaning: 'JSON list of further admin secrets, to rotate a secret without downtime',
    fallback: undefined,
    secret: true,
    parse: secrets,
  },
  unauthorizedRole: {
    name: 'UNAUTHORIZED_ROLE',
    meaning: 'role of callers that send neither secret nor token',
    fallback: undefined,
    parse: text,
  },
  jwtSecret: {
    name: 'JWT_SECRET',
    meaning: 'JSON: how JSON Web Tokens are verified; see /docs/authentication',
    fallback: undefined,
    secret: true,
    parse: JwtSecretText,
  },
  jwtSecrets: {
    name: 'JWT_SECRETS',
    meaning: 'JSON list of several such settings, selected by the issuer of the token',
    fallback: undefined,
    secret: true,
    parse: JwtSecretsText,
  },
  authHook: {
    name: 'AUTH_HOOK',
    meaning: 'webhook that authenticates callers',
    fallback: undefined,
    secret: 'url',
    parse: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }),
  },
  authHookMode: {
    name: 'AUTH_HOOK_MODE',
    meaning: 'GET sends the headers of the caller as headers, POST as JSON',
    fallback: 'GET',
    parse: z.enum(['GET', 'POST'], 'must be GET or POST'),
  },
  authHookSendRequestBody: {
    name: 'AUTH_HOOK_SEND_REQUEST_BODY',
    meaning: 'in mode POST, send the GraphQL request to the webhook too',
    fallback: 'true',
    parse: flag,
  },
} as const;

export interface AdminSecretConfig {
  readonly adminSecret: string | undefined;
  readonly adminSecrets: readonly string[] | undefined;
}

interface AuthConfig extends AdminSecretConfig {
  readonly unauthorizedRole: string | undefined;
  readonly jwtSecret: JwtSettings | undefined;
  readonly jwtSecrets: readonly JwtSettings[] | undefined;
  readonly authHook: string | undefined;
}

export function adminSecretsOf({ adminSecret, adminSecrets = [] }: AdminSecretConfig): readonly string[] {
  return [...(adminSecret === undefined ? [] : [adminSecret]), ...adminSecrets];
}

export function jwtSettingsOf({ jwtSecret, jwtSecrets = [] }: AuthConfig): readonly JwtSettings[] {
  return [...(jwtSecret === undefined ? [] : [jwtSecret]), ...jwtSecrets];
}

/** Throws `invalid-configuration` for options that contradict each other or leave the metadata API unprotected. */
export function rejectContradictions(config: AuthConfig): void {
  const tokens = jwtSettingsOf(config).length > 0;
  if (tokens && config.authHook !== undefined) {
    throw invalid(
      'JOINERY_JWT_SECRET and JOINERY_AUTH_HOOK are both set, and only one of them can authenticate callers; unset the other',
    );
  }
  if (hasAmbiguousIssuer(jwtSettingsOf(config))) {
    throw invalid(
      'JOINERY_JWT_SECRET has the issuer of one of JOINERY_JWT_SECRETS, or both have none, for tokens of the same place; set another "issuer" or "header"',
    );
  }
  if ((tokens || config.authHook !== undefined) && adminSecretsOf(config).length === 0) {
    const name = tokens ? 'JOINERY_JWT_SECRET' : 'JOINERY_AUTH_HOOK';
    throw invalid(`${name} is set without an admin secret, which the metadata API needs; set JOINERY_ADMIN_SECRET`);
  }
  if (config.authHook !== undefined && config.unauthorizedRole !== undefined) {
    throw invalid(
      'JOINERY_UNAUTHORIZED_ROLE cannot be set with JOINERY_AUTH_HOOK: the webhook determines the role of a caller',
    );
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid-configuration', message);
}
