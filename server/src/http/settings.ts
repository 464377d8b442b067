/** What the HTTP floor needs of the configuration. */
import type { Authenticate } from '../auth/authenticate.ts';
import type { SessionSettings } from '../auth/session.ts';
import type { CompressionSettings } from './compression.ts';

export interface HttpSettings {
  readonly host: string;
  readonly port: number;
  readonly maxBodyBytes: number;
  /** Addresses and ranges whose `X-Forwarded-For` is believed; undefined believes nobody. */
  readonly trustedProxies: readonly string[] | undefined;
  readonly session: SessionSettings;
  readonly authenticate: Authenticate;
  /** Which APIs are served. */
  readonly apis: ReadonlySet<'graphql' | 'metadata'>;
  /** Origins as written, `*` or a list with wildcards; undefined sends no CORS headers. */
  readonly corsOrigins: string | undefined;
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
}

/** May a caller of this role see `internal`? */
export function showsInternal(settings: HttpSettings, role: string | undefined): boolean {
  return settings.internalErrors === 'everybody' || (settings.internalErrors === 'admin' && role === 'admin');
}
