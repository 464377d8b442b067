/** Secrets that are read from files: `JOINERY_ADMIN_SECRET_FILE=/run/secrets/admin-secret` sets `JOINERY_ADMIN_SECRET`. */
import { readFileSync, statSync } from 'node:fs';
import type { Environment } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import { type Option, options, variableName } from '../options.ts';

const SUFFIX = '_FILE';
const MAX_BYTES = 1_048_576;

/**
 * Returns the environment with the content of each file in place of its variable. The final newline is removed. Throws
 * `invalid-configuration` for a setting that is given twice, that is not a secret, or whose file cannot be read.
 */
export function readSecretFiles(environment: Environment): Environment {
  const read: Record<string, string> = {};
  const rest: Record<string, string | undefined> = { ...environment };
  for (const option of Object.values(options) as readonly Option[]) {
    const variable = variableName(option);
    const name = `${variable}${SUFFIX}`;
    const path = environment[name];
    if (path === undefined) continue;
    if (option.secret === undefined) {
      throw invalid(`${name} is not a setting: only secrets are read from files; set ${variable}`);
    }
    if (environment[variable] !== undefined) {
      throw invalid(`${variable} and ${name} are both set; set one of them`);
    }
    read[variable] = contentOf(name, path);
    delete rest[name];
  }
  return { ...rest, ...read };
}

function contentOf(name: string, path: string): string {
  if (path === '') throw invalid(`${name} is empty; set it to the path of a file`);
  const content = readText(name, path).replace(/\r?\n$/, '');
  if (content === '') throw invalid(`${name}: the file ${path} is empty; write the secret into it`);
  return content;
}

function readText(name: string, path: string): string {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) throw new Error('it is not a regular file');
    if (stats.size > MAX_BYTES) throw new Error(`it has ${stats.size} bytes, and a secret at most ${MAX_BYTES}`);
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw invalid(`${name}: the file ${path} cannot be read: ${(cause as Error).message}`, cause);
  }
}

function invalid(message: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid-configuration', message, { cause });
}
