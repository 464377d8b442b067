/** The folder of an embedded PostgreSQL: its layout, its permissions, and the settings for PostgreSQL. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ServiceError } from '../../base/errors.ts';
import { chooseUser, giveTo, type RunAs } from './user.ts';

export interface Place {
  /** The folder as a whole, such as `<project>/.joinery`; the service's own, mode 0700. */
  readonly root: string;
  /** Belongs to the user that Postgres runs as, mode 0700; holds `data`. */
  readonly home: string;
  readonly data: string;
  readonly log: string;
  readonly passwordFile: string;
  readonly runAs: RunAs | undefined;
}

/** Makes the folders below the root; the caller holds the lock of the root. */
export function openPlace(root: string): Place {
  const home = join(root, 'postgres');
  const data = join(home, 'data');
  const runAs = chooseUser(data, root);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  if (runAs !== undefined && belongsToAnother(home, data, runAs)) giveTo(home, runAs);
  return { root, home, data, log: join(root, 'postgres.log'), passwordFile: join(root, 'postgres.password'), runAs };
}

/** The folder, absolute, with a .gitignore of its own: a database does not belong into anybody's repository. */
export function openRoot(directory: string): string {
  const root = resolve(directory);
  const ignore = join(root, '.gitignore');
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    if (!existsSync(ignore)) writeFileSync(ignore, '*\n');
    return root;
  } catch (error) {
    throw new ServiceError(
      'invalid-configuration',
      `the embedded Postgres cannot write to ${root}: ${(error as Error).message}; give it another folder with JOINERY_DATA_DIR, or set JOINERY_DATABASE_URL`,
      { cause: error },
    );
  }
}

function belongsToAnother(home: string, data: string, user: RunAs): boolean {
  const owner = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.uid;
  return owner(home) !== user.uid || ![undefined, user.uid].includes(owner(data));
}

/** The password of the superuser, made at first use. `hasData`: without it the password could not be recovered. */
export function readPassword(place: Place, hasData: boolean): string {
  if (existsSync(place.passwordFile)) return readFileSync(place.passwordFile, 'utf8').trim();
  if (hasData) {
    throw new ServiceError(
      'invalid-configuration',
      `${place.passwordFile} is missing, and without it the database in ${place.data} cannot be opened; put the file back, or move the folder ${place.home} away to start with an empty database`,
    );
  }
  const password = randomBytes(24).toString('base64url');
  writeFileSync(place.passwordFile, password, { mode: 0o600, flag: 'wx' });
  return password;
}

/**
 * How a program that runs with `data` as its working directory names that folder. Another user cannot walk there when
 * a folder above belongs to root alone (a project in /root): the link in /proc leads to it without walking. Postgres
 * never changes its working directory afterwards, and hands it down to its processes.
 */
export function dataArgument(place: Place, data: string): string {
  return place.runAs !== undefined && process.platform === 'linux' ? '/proc/self/cwd' : data;
}
