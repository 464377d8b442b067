/** Creates the configured authentication. */
import { type Authenticate, createAuthenticate } from '../auth/authenticate.ts';
import type { SessionSettings } from '../auth/session.ts';
import type { HttpClient } from '../base/http-client/http-client.ts';
import { adminSecretsOf, jwtSettingsOf } from '../config/auth.ts';
import type { Config } from '../config/config.ts';

export function sessionSettings(config: Config): SessionSettings {
  const { headerPrefix: prefix, unauthorizedRole } = config;
  return { prefix, adminSecrets: adminSecretsOf(config), unauthorizedRole };
}

/** Loads the modules of tokens and of the webhook only where they are configured. Rejects with `invalid-configuration`. */
export async function startAuthentication(config: Config, httpClient: HttpClient): Promise<Authenticate> {
  const settings = sessionSettings(config);
  const tokens = jwtSettingsOf(config);
  if (tokens.length > 0) {
    const { createTokenSessions } = await import('../auth/jwt/jwt.ts');
    return createAuthenticate({ settings, token: await createTokenSessions(tokens, settings.prefix, httpClient) });
  }
  if (config.authHook === undefined) return createAuthenticate({ settings });
  const { createHookSessions } = await import('../auth/hook.ts');
  const hook = { url: config.authHook, mode: config.authHookMode, sendsBody: config.authHookSendRequestBody };
  return createAuthenticate({ settings, hook: createHookSessions(hook, settings.prefix, httpClient) });
}
