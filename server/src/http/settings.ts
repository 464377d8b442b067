/** What the HTTP floor needs of the configuration. */
import type { Authenticate } from '../auth/authenticate.ts';
import type { SessionSettings } from '../auth/session.ts';
import type { CompressionSettings } from './middleware/compression.ts';

export interface HttpSettings {
  readonly host: string;
  readonly port: number;
  readonly maxBodyBytes: number;
  /** Addresses and ranges whose `X-Forwarded-For` is believed; undefined believes nobody. */
  readonly trustedProxies: readonly string[] | undefined;
  readonly session: SessionSettings;
  readonly authenticate: Authenticate;
  /** Whether the session of a GraphQL request depends on its body as well as on its headers. */
  readonly authenticatesByBody: boolean;
  /** Milliseconds that a client may take to send the headers and the body of a request. */
  readonly requestTimeoutMs: number;
  /** Which APIs are served. */
  readonly apis: ReadonlySet<'graphql' | 'metadata'>;
  /** Origins as written, `*` or a list with wildcards; undefined permits pages of this service alone. */
  readonly corsOrigins: string | undefined;
  /** Whether CORS headers are sent. Where they are not, `*` permits no origin. */
  readonly sendsCors: boolean;
  /** Names in lower case that requests may have in `Host`, beside loopback; `*` permits all. */
  readonly allowedHosts: readonly string[] | undefined;
  /** Names of the cookies that hold tokens; `any` where a webhook reads cookies. */
  readonly tokenCookies: readonly string[] | 'any';
  readonly compression: CompressionSettings;
  readonly websocket: WebSocketSettings;
  /** Who sees `internal` in errors. */
  readonly internalErrors: 'nobody' | 'admin' | 'everybody';
  readonly version: string;
  /** Bearer token for the metrics; undefined shows them to everybody. */
  readonly metricsSecret: string | undefined;
  /** Undefined does not serve it. `directory` is that of the built files, undefined where they are not installed. */
  readonly console: { readonly directory: string | undefined } | undefined;
}

export interface WebSocketSettings {
  /** Milliseconds between signs of life. */
  readonly keepAliveMs: number;
  /** Milliseconds that a client may take until it says who it is. */
  readonly initTimeoutMs: number;
  /** Operations of one connection at once. */
  readonly maxOperations: number;
  /** Whether the cookie of the request that opens a websocket counts. */
  readonly readsCookie: boolean;
}

/** May a caller of this role see `internal`? */
export function showsInternal(settings: HttpSettings, role: string | undefined): boolean {
  return settings.internalErrors === 'everybody' || (settings.internalErrors === 'admin' && role === 'admin');
}
