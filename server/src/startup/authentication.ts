/** Creates the configured authentication. */
import { type Authenticate, createAuthenticate } from '../auth/authenticate.ts';
import type { ConsoleSignIn } from '../auth/console/console-sign-in.ts';
import type { SessionSettings } from '../auth/session.ts';
import type { HttpClient } from '../base/http-client/http-client.ts';
import { adminSecretsOf, jwtSettingsOf } from '../config/auth.ts';
import type { Config } from '../config/config.ts';
import { consoleSignInOf } from '../config/console-sign-in.ts';

export function sessionSettings(config: Config): SessionSettings {
  const { headerPrefix: prefix, unauthorizedRole } = config;
  return { prefix, adminSecrets: adminSecretsOf(config), unauthorizedRole };
}

/** Creates the sign-in to the console; undefined if it is not configured. Throws `invalid-configuration`. */
export async function startConsoleSignIn(config: Config, httpClient: HttpClient): Promise<ConsoleSignIn | undefined> {
  const settings = consoleSignInOf(config);
  if (settings === undefined) return undefined;
  const { createConsoleSignIn } = await import('../auth/console/console-sign-in.ts');
  return createConsoleSignIn(settings, httpClient);
}

/** Loads the modules of tokens and of the webhook only where they are configured. Rejects with `invalid-configuration`. */
export async function startAuthentication(
  config: Config,
  httpClient: HttpClient,
  signIn: ConsoleSignIn | undefined,
): Promise<Authenticate> {
  const settings = sessionSettings(config);
  const console = signIn?.sessions.session;
  const tokens = jwtSettingsOf(config);
  if (tokens.length > 0) {
    const { createTokenSessions } = await import('../auth/jwt/jwt.ts');
    const token = await createTokenSessions(tokens, settings.prefix, httpClient);
    return createAuthenticate({ settings, console, token });
  }
  if (config.authHook === undefined) return createAuthenticate({ settings, console });
  const { createHookSessions } = await import('../auth/hook.ts');
  const hook = { url: config.authHook, mode: config.authHookMode, sendsBody: config.authHookSendRequestBody };
  return createAuthenticate({ settings, console, hook: createHookSessions(hook, settings.prefix, httpClient) });
}
