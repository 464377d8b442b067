/** Compares the versions of the command and of the service. */
import { readFileSync } from 'node:fs';
import { CliError } from '../cli-error.ts';
import type { Connection } from './connection.ts';

/** Returns the version of this command. */
export function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/**
 * Throws CliError unless the service is compatible: it must have the same minor version while the major version is 0,
 * and the same major version afterwards.
 */
export async function requireSameVersion(connection: Connection, own = ownVersion()): Promise<void> {
  const { status, body } = await connection.get('/v1/version');
  const version = status === 200 ? versionIn(body) : undefined;
  if (version === undefined) {
    const { version: reported } = (typeof body === 'object' && body !== null ? body : {}) as {
      readonly version?: unknown;
    };
    const found = typeof reported === 'string' ? `reports the version ${reported}` : `returns status ${status}`;
    throw new CliError(`${connection.endpoint} is not a Joinery service: /v1/version ${found}; check the endpoint`);
  }
  if (compatible(version) === compatible(own)) return;
  throw new CliError(
    `the service at ${connection.endpoint} has version ${version}, this command ${own}: use the command of the ` +
      'version of the service, or --any-version to skip this check',
  );
}

/** Reads the version of a Joinery service, which may report a version of Hasura v2 beside its own. */
export function versionIn(body: unknown): string | undefined {
  const { version, server_type, joinery_version } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly version?: unknown;
    readonly server_type?: unknown;
    readonly joinery_version?: unknown;
  };
  const own = joinery_version ?? (server_type === 'joinery' ? version : undefined);
  return typeof own === 'string' ? own : undefined;
}

function compatible(version: string): string {
  const [major = '', minor = ''] = version.split('.');
  return major === '0' ? `0.${minor}` : major;
}
