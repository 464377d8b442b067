/** The settings of the pools of a source, from its configuration in the metadata. */
import type { ConnectionInfo, ConnectionParameters, DatabaseAddress } from '@joinery/metadata/schema/sources';
import { parseDatabaseUrl } from '../../base/database-url.ts';
import { type Environment, variable } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import type { PoolLimits } from '../../postgres/client/connections.ts';
import type { TransactionOptions } from '../../postgres/client/transaction.ts';

/** Undefined settings are those of the service. */
export interface ConnectionSettings {
  readonly url: string;
  readonly poolSize: number | undefined;
  readonly limits: PoolLimits;
  readonly prepare: boolean | undefined;
}

/** Throws `invalid-configuration` for a configuration without a database, or with unsupported members. */
export function connectionSettings(
  written: ConnectionInfo,
  source: string,
  environment: Environment,
): ConnectionSettings {
  const pool = written.pool_settings;
  const sizes = [pool?.max_connections, pool?.total_max_connections].filter((size) => typeof size === 'number');
  return {
    url: checked(withTls(addressOf(written.database_url, source, environment), written, source), source),
    poolSize: sizes.length === 0 ? undefined : Math.min(...sizes),
    limits: {
      ...(pool?.idle_timeout != null && { idle: pool.idle_timeout }),
      ...(pool?.connection_lifetime != null && { lifetime: pool.connection_lifetime || Number.POSITIVE_INFINITY }),
      ...(pool?.pool_timeout != null && { wait: pool.pool_timeout }),
    },
    prepare: written.use_prepared_statements ?? undefined,
  };
}

/** Throws `invalid-configuration` for an address that is not a PostgreSQL URL. */
function checked(url: string, source: string): string {
  try {
    parseDatabaseUrl(url);
    return url;
  } catch (error) {
    throw new ServiceError('invalid-configuration', `source "${source}": ${(error as Error).message}`);
  }
}

const isolations = {
  'read-committed': 'read committed',
  'repeatable-read': 'repeatable read',
  serializable: 'serializable',
} as const;

/** Returns undefined for the default of the database. */
export function isolationOf(written: ConnectionInfo | undefined): TransactionOptions['isolation'] {
  return written?.isolation_level == null ? undefined : isolations[written.isolation_level];
}

function addressOf(address: DatabaseAddress | undefined, source: string, environment: Environment): string {
  if (typeof address === 'string') return address;
  if (address !== undefined && 'from_env' in address) return variable(String(address.from_env), environment);
  if (address !== undefined && 'dynamic_from_file' in address) {
    throw new ServiceError(
      'invalid-configuration',
      `source "${source}": database_url.dynamic_from_file is not supported; give the URL in an environment variable and name it as { from_env }`,
    );
  }
  if (address !== undefined && 'connection_parameters' in address) {
    const { username, password, host, port, database } = address.connection_parameters as ConnectionParameters;
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
  if (tls.sslmode == null || /[?&]sslmode=/.test(url)) return url;
  // The class URL does not support several hosts.
  return `${url}${url.includes('?') ? '&' : '?'}sslmode=${encodeURIComponent(tls.sslmode)}`;
}
