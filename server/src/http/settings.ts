/** The settings of the HTTP server. */
import type { Authenticate } from '../auth/authenticate.ts';
import type { ConsoleSignIn } from '../auth/console/console-sign-in.ts';
import type { SessionSettings } from '../auth/session.ts';
import type { CompressionSettings } from './middleware/compression.ts';

/** An API that `JOINERY_ENABLED_APIS` enables. */
export type HttpApi = 'graphql' | 'metadata' | 'config' | 'pgdump';

/** The settings of the service, as Hasura v2 returns them. */
export type ServerConfig = Readonly<Record<string, unknown>>;

export interface HttpSettings {
  readonly host: string;
  readonly port: number;
  readonly maxBodyBytes: number;
  /** Limit of the body of `/v1/import_rows`. */
  readonly maxImportBytes: number;
  /** Addresses and ranges whose `X-Forwarded-For` is trusted; undefined trusts none. */
  readonly trustedProxies: readonly string[] | undefined;
  readonly session: SessionSettings;
  readonly authenticate: Authenticate;
  /** The sign-in to the console by OpenID Connect; undefined if it is not configured. */
  readonly consoleSignIn: ConsoleSignIn | undefined;
  /** Whether the session of a GraphQL request depends on its body as well as on its headers. */
  readonly authenticatesByBody: boolean;
  /** Timeout for receiving the headers and the body of a request, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** The enabled APIs. */
  readonly apis: ReadonlySet<HttpApi>;
  /** Whether the GraphQL API has an endpoint for Relay. */
  readonly relay: boolean;
  /** The configured origins, `*` or a list with wildcards; undefined permits only pages of this service. */
  readonly corsOrigins: string | undefined;
  /** Whether CORS headers are sent. If not, `*` permits no origin. */
  readonly sendsCors: boolean;
  /** Allowed values of `Host` in lower case besides loopback names; `*` permits all. */
  readonly allowedHosts: readonly string[] | undefined;
  /** Whether common GraphQL requests are handled without the framework. */
  readonly direct: boolean;
  /** Names of cookies with tokens; `any` if a webhook reads cookies. */
  readonly tokenCookies: readonly string[] | 'any';
  readonly compression: CompressionSettings;
  readonly websocket: WebSocketSettings;
  /** Whether GraphQL responses with the status 401 have it for every client. */
  readonly preserves401: boolean;
  /** Which callers see `internal` in errors. */
  readonly internalErrors: 'none' | 'admin' | 'all';
  readonly version: string;
  /** The version of Hasura v2 that `/v1/version` returns; undefined for that of the service. */
  readonly reportVersion: string | undefined;
  /** The response of `/v1alpha1/config`. */
  readonly serverConfig: ServerConfig;
  /** Bearer token for the metrics; undefined makes them public. */
  readonly metricsSecret: string | undefined;
  /** Undefined disables the console. `directory` has the built files; undefined if they are not installed. */
  readonly console: { readonly directory: string | undefined } | undefined;
  /** Undefined disables the MCP server. */
  readonly mcp: McpHttpSettings | undefined;
  /** Undefined disables the documentation. `directory` is as for the console. */
  readonly docs: { readonly directory: string | undefined } | undefined;
}

export interface McpHttpSettings {
  /** The origin of the service for clients; undefined for that of the request. */
  readonly publicUrl: string | undefined;
  /** The URLs of the issuers of tokens. */
  readonly issuers: readonly string[];
  /** The scopes of the tools for developers that are enabled. */
  readonly scopes: readonly string[];
}

export interface WebSocketSettings {
  /** Interval of keep-alive messages in milliseconds. */
  readonly keepAliveMs: number;
  /** Timeout for `connection_init` in milliseconds. */
  readonly initTimeoutMs: number;
  /** Concurrent operations of one connection. */
  readonly maxOperations: number;
  /** Whether the cookie of the upgrade request authenticates. */
  readonly readsCookie: boolean;
}

/** Whether a caller with this role sees `internal`. */
export function showsInternal(settings: HttpSettings, role: string | undefined): boolean {
  return settings.internalErrors === 'all' || (settings.internalErrors === 'admin' && role === 'admin');
}
