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
  const { version, server_type } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly version?: unknown;
    readonly server_type?: unknown;
  };
  if (status !== 200 || typeof version !== 'string' || server_type !== 'joinery') {
    const found = typeof version === 'string' ? `reports the version ${version}` : `returns status ${status}`;
    throw new CliError(`${connection.endpoint} is not a Joinery service: /v1/version ${found}; check the endpoint`);
  }
  if (compatible(version) === compatible(own)) return;
  throw new CliError(
    `the service at ${connection.endpoint} has version ${version}, this command ${own}: use the command of the ` +
      'version of the service, or --any-version to skip this check',
  );
}

function compatible(version: string): string {
  const [major = '', minor = ''] = version.split('.');
  return major === '0' ? `0.${minor}` : major;
}
