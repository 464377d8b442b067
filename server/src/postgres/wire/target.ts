/** Reads where and how to connect from a URL for one host, with the defaults of libpq's environment variables. */
import type { ConnectionOptions } from 'node:tls';
import { parse } from 'pg-connection-string';

/** The server of a URL. */
export interface Target {
  /** A host name, an address, or the directory of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password: string | undefined;
  /** Undefined for a connection without TLS. */
  readonly tls: ConnectionOptions | undefined;
  /** Whether the TLS handshake begins without a request of the protocol: `sslnegotiation=direct`. */
  readonly directTls: boolean;
  /** As in libpq: whether SCRAM is bound to the certificate of the server where both support it. */
  readonly channelBinding: 'disable' | 'prefer' | 'require';
  /** Startup parameters of the URL, such as `options` and `application_name`. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Parameters of a URL that are sent to the server. */
const startupParameters = ['application_name', 'options', 'replication'] as const;
/** Those in milliseconds. */
const timeouts = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const;

const defaultPort = 5432;

/**
 * Reads a URL. `tls` applies where the URL has no certificates and no `sslmode`; undefined for the environment variable.
 * Throws where a file that the URL names cannot be read.
 */
export function readTarget(url: string, tls?: ConnectionOptions | false): Target {
  const parsed = parse(url);
  const { env } = process;
  const text = (name: string): string | undefined => {
    const value = parsed[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const user = text('user') ?? nonEmpty(env.PGUSER) ?? nonEmpty(env.USER ?? env.USERNAME) ?? '';
  const direct = text('sslnegotiation') ?? env.PGSSLNEGOTIATION;
  const parameters: Record<string, string> = {};
  for (const name of startupParameters) {
    const value = text(name);
    if (value !== undefined) parameters[name] = value;
  }
  for (const name of timeouts) {
    const value = Number.parseInt(text(name) ?? '', 10);
    if (value > 0) parameters[name] = String(value);
  }
  const options = parameters.options ?? nonEmpty(env.PGOPTIONS);
  return {
    host: text('host') ?? nonEmpty(env.PGHOST) ?? 'localhost',
    port: Number.parseInt(text('port') ?? nonEmpty(env.PGPORT) ?? '', 10) || defaultPort,
    user,
    database: text('database') ?? nonEmpty(env.PGDATABASE) ?? user,
    password: text('password') ?? nonEmpty(env.PGPASSWORD),
    tls: tlsOf(parsed.ssl, tls),
    directTls: direct === 'direct',
    channelBinding: bindingOf(text('channel_binding') ?? env.PGCHANNELBINDING),
    parameters: { ...parameters, ...(options !== undefined && { options }) },
  };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function bindingOf(text: string | undefined): Target['channelBinding'] {
  return text === 'disable' || text === 'require' ? text : 'prefer';
}

type UrlTls = ReturnType<typeof parse>['ssl'];

function tlsOf(inUrl: UrlTls, given: ConnectionOptions | false | undefined): ConnectionOptions | undefined {
  if (inUrl === undefined) return given === undefined ? tlsOfEnvironment() : given || undefined;
  if (inUrl === false || inUrl === '') return undefined;
  if (inUrl === 'no-verify') return { rejectUnauthorized: false };
  if (typeof inUrl !== 'object') return {};
  const { cert, ...others } = inUrl;
  return { ...others, ...(typeof cert === 'string' && { cert }) };
}

function tlsOfEnvironment(): ConnectionOptions | undefined {
  switch (process.env.PGSSLMODE) {
    case 'prefer':
    case 'require':
    case 'verify-ca':
    case 'verify-full':
      return {};
    case 'no-verify':
      return { rejectUnauthorized: false };
    default:
      return undefined;
  }
}
