/** From the written connection settings of a source to those that its pools are opened with. */
import type { ConnectionInfo, DatabaseAddress } from '@joinery/metadata/sources';
import { type Environment, variable } from '../base/environment.ts';
import { ServiceError } from '../base/errors.ts';
import type { PoolLimits } from '../postgres/connections.ts';
import type { TransactionOptions } from '../postgres/transaction.ts';

/** What is not written is as the service was started. */
export interface ConnectionSettings {
  readonly url: string;
  readonly poolSize: number | undefined;
  readonly limits: PoolLimits;
  readonly prepare: boolean | undefined;
}

/** Throws `invalid-configuration` for settings that name no database, or in a way that is not spoken. */
export function connectionSettings(
  written: ConnectionInfo,
  source: string,
  environment: Environment,
): ConnectionSettings {
  const pool = written.pool_settings;
  const sizes = [pool?.max_connections, pool?.total_max_connections].filter((size) => typeof size === 'number');
  return {
    url: withTls(addressOf(written.database_url, source, environment), written, source),
    poolSize: sizes.length === 0 ? undefined : Math.min(...sizes),
    limits: {
      ...(pool?.idle_timeout != null && { idle: pool.idle_timeout }),
      ...(pool?.connection_lifetime != null && { lifetime: pool.connection_lifetime || Number.POSITIVE_INFINITY }),
      ...(pool?.pool_timeout != null && { wait: pool.pool_timeout }),
    },
    prepare: written.use_prepared_statements ?? undefined,
  };
}

const isolations = {
  'read-committed': 'read committed',
  'repeatable-read': 'repeatable read',
  serializable: 'serializable',
} as const;

/** Undefined for the database's own. */
export function isolationOf(written: ConnectionInfo | undefined): TransactionOptions['isolation'] {
  return written?.isolation_level == null ? undefined : isolations[written.isolation_level];
}

function addressOf(address: DatabaseAddress | undefined, source: string, environment: Environment): string {
  if (typeof address === 'string') return address;
  if (address !== undefined && 'from_env' in address) return variable(String(address.from_env), environment);
  if (address !== undefined && 'connection_parameters' in address) {
    const { username, password, host, port, database } = address.connection_parameters;
    const secret = password == null ? '' : `:${encodeURIComponent(password)}`;
    const named = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
    return `postgresql://${encodeURIComponent(username)}${secret}@${named}:${port}/${encodeURIComponent(database)}`;
  }
  throw new ServiceError(
    'invalid-configuration',
    `source "${source}" names no database: give configuration.connection_info.database_url as a URL, as { from_env } or as { connection_parameters }`,
  );
}

const certificates = ['sslrootcert', 'sslcert', 'sslkey', 'sslpassword'];

function withTls(url: string, { ssl_configuration: tls }: ConnectionInfo, source: string): string {
  if (tls == null) return url;
  const given = certificates.find((name) => tls[name] != null);
  if (given !== undefined) {
    throw new ServiceError(
      'invalid-configuration',
      `source "${source}": ssl_configuration.${given} is not supported; put the certificates into files and name these in the URL (?sslmode=verify-full&sslrootcert=...)`,
    );
  }
  if (tls.sslmode == null || !URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (!parsed.searchParams.has('sslmode')) parsed.searchParams.set('sslmode', tls.sslmode);
  return parsed.href;
}
