/** The settings of the sign-in to the console for tests, and a provider with an HTTP client for the tests of a file. */
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { ConsoleSignInSettings } from '../../../src/auth/console/settings.ts';
import { createHttpClient, type HttpClient } from '../../../src/base/http-client/http-client.ts';
import { type OidcProvider, oidcClient, startOidcProvider } from './oidc-provider.ts';

export const signInSettings: ConsoleSignInSettings = {
  issuer: 'https://id.example.com',
  clientId: oidcClient.id,
  clientSecret: oidcClient.secret,
  redirectUrl: 'https://api.example.com/console/oidc/callback',
  allowedUsers: ['*'],
  scopes: ['openid'],
  name: 'Example',
  sessionSeconds: 60,
  adminSecrets: ['hush'],
  prefix: 'x-service-',
};

/** Starts both before the tests of the file, restores the provider after each, and closes both at the end. */
export function useSignInProvider(): { readonly provider: OidcProvider; readonly httpClient: HttpClient } {
  const started = {} as { provider: OidcProvider; httpClient: HttpClient };
  beforeAll(async () => {
    started.provider = await startOidcProvider();
    started.httpClient = createHttpClient({ connections: 4 });
  });
  afterEach(() => started.provider.reset());
  afterAll(async () => {
    await started.httpClient?.close();
    await started.provider?.close();
  });
  return started;
}
