/** The options that decide who a caller is, and which of them go together. */
import { z } from 'zod';
import { JwtSecretsText, JwtSecretText, type JwtSettings } from '../auth/jwt/settings.ts';
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
    meaning: 'secret that makes a caller admin; without it every caller is',
    fallback: undefined,
    secret: true,
    parse: text,
  },
  adminSecrets: {
    name: 'ADMIN_SECRETS',
    meaning: 'JSON list of further admin secrets, to change one without a pause',
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
    meaning: 'JSON: how JSON Web Tokens are verified; see docs/authentication.md',
    fallback: undefined,
    secret: true,
    parse: JwtSecretText,
  },
  jwtSecrets: {
    name: 'JWT_SECRETS',
    meaning: 'JSON list of several, told apart by their issuers',
    fallback: undefined,
    secret: true,
    parse: JwtSecretsText,
  },
  authHook: {
    name: 'AUTH_HOOK',
    meaning: 'webhook that is asked who a caller is',
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
    meaning: 'in mode POST, show the webhook the GraphQL request as well',
    fallback: 'true',
    parse: flag,
  },
} as const;

interface AuthConfig {
  readonly adminSecret: string | undefined;
  readonly adminSecrets: readonly string[] | undefined;
  readonly unauthorizedRole: string | undefined;
  readonly jwtSecret: JwtSettings | undefined;
  readonly jwtSecrets: readonly JwtSettings[] | undefined;
  readonly authHook: string | undefined;
}

/** Every admin secret. */
export function adminSecretsOf({ adminSecret, adminSecrets = [] }: AuthConfig): readonly string[] {
  return [...(adminSecret === undefined ? [] : [adminSecret]), ...adminSecrets];
}

/** Every way to verify a token. */
export function jwtSettingsOf({ jwtSecret, jwtSecrets = [] }: AuthConfig): readonly JwtSettings[] {
  return [...(jwtSecret === undefined ? [] : [jwtSecret]), ...jwtSecrets];
}

/** Throws `invalid-configuration` for options that contradict each other, or leave the way open that they would guard. */
export function rejectContradictions(config: AuthConfig): void {
  const tokens = jwtSettingsOf(config).length > 0;
  if (tokens && config.authHook !== undefined) {
    throw refusal(
      'JOINERY_JWT_SECRET and JOINERY_AUTH_HOOK are both set, and a caller is judged by one of them; unset the other',
    );
  }
  if ((tokens || config.authHook !== undefined) && adminSecretsOf(config).length === 0) {
    const name = tokens ? 'JOINERY_JWT_SECRET' : 'JOINERY_AUTH_HOOK';
    throw refusal(`${name} is set without an admin secret, which the metadata API needs; set JOINERY_ADMIN_SECRET`);
  }
  if (config.authHook !== undefined && config.unauthorizedRole !== undefined) {
    throw refusal(
      'JOINERY_UNAUTHORIZED_ROLE cannot be set with JOINERY_AUTH_HOOK: the webhook says which role a caller has',
    );
  }
}

function refusal(message: string): ServiceError {
  return new ServiceError('invalid-configuration', message);
}
