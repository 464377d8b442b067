/** The settings of the sign-in to the console by OpenID Connect. */

export interface ConsoleSignInSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The public address of the callback. Its origin is that of the pages that may use a session. */
  readonly redirectUrl: string;
  /** Rules as written; see `allowedUser`. */
  readonly allowedUsers: readonly string[];
  readonly scopes: readonly string[];
  /** The name of the provider on the sign-in page. */
  readonly name: string;
  readonly sessionSeconds: number;
  /** The first encrypts new sessions; sessions of all are accepted. */
  readonly adminSecrets: readonly string[];
  /** Prefix of session headers in lower case, such as `x-service-`. */
  readonly prefix: string;
}
