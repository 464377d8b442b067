/** Whether the service is one that this command may change. */
import { readFileSync } from 'node:fs';
import { ProjectError } from '../cli-error.ts';
import type { Connection } from './connection.ts';

/** The version of this command. */
export function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/**
 * Services of the same minor version understand each other while the major one is 0, of the same major one afterwards.
 * Throws ProjectError for another service and for what is no Joinery service.
 */
export async function requireSameVersion(connection: Connection, own = ownVersion()): Promise<void> {
  const { status, body } = await connection.get('/v1/version');
  const { version, server_type } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly version?: unknown;
    readonly server_type?: unknown;
  };
  if (status !== 200 || typeof version !== 'string' || server_type !== 'joinery') {
    const found = typeof version === 'string' ? `says that its version is ${version}` : `answers with status ${status}`;
    throw new ProjectError(
      `${connection.endpoint} is not a Joinery service: /v1/version ${found}; is the endpoint right?`,
    );
  }
  if (compatible(version) === compatible(own)) return;
  throw new ProjectError(
    `the service at ${connection.endpoint} has version ${version}, this command ${own}: use the command of the ` +
      'version of the service, or --any-version to go on all the same',
  );
}

function compatible(version: string): string {
  const [major = '', minor = ''] = version.split('.');
  return major === '0' ? `0.${minor}` : major;
}
