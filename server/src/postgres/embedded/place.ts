/** The folder of an embedded PostgreSQL: its layout, its permissions, and the settings for PostgreSQL. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ServiceError } from '../../base/errors.ts';
import { chooseUser, giveTo, type RunAs } from './user.ts';

export interface Place {
  /** The root folder, such as `<project>/.joinery`. Belongs to the user of the service, mode 0700. */
  readonly root: string;
  /** The parent of `data`. Belongs to the user that PostgreSQL runs as, mode 0700. */
  readonly home: string;
  readonly data: string;
  readonly log: string;
  readonly passwordFile: string;
  readonly runAs: RunAs | undefined;
}

/** Creates the folders below the root. The caller must hold the lock of the root. */
export function openPlace(root: string): Place {
  const home = join(root, 'postgres');
  const data = join(home, 'data');
  const runAs = chooseUser(data, root);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  if (runAs !== undefined && belongsToAnother(home, data, runAs)) giveTo(home, runAs);
  return { root, home, data, log: join(root, 'postgres.log'), passwordFile: join(root, 'postgres.password'), runAs };
}

/** Creates the root folder with a .gitignore, and returns its absolute path. */
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

/** Returns the password of the superuser, created at first use. Throws if `hasData` and its file is missing. */
export function readPassword(place: Place, hasData: boolean): string {
  if (existsSync(place.passwordFile)) return readFileSync(place.passwordFile, 'utf8').trim();
  if (hasData) {
    throw new ServiceError(
      'invalid-configuration',
      `${place.passwordFile} is missing, and without it the database in ${place.data} cannot be opened; restore the file, or move the folder ${place.home} to start with an empty database`,
    );
  }
  const password = randomBytes(24).toString('base64url');
  writeFileSync(place.passwordFile, password, { mode: 0o600, flag: 'wx' });
  return password;
}

/**
 * Returns a path of `data` for a program with `data` as its working directory. If another user cannot read a parent folder
 * (a project in /root), it is the link in /proc, which needs no access to the parents. PostgreSQL does not change its
 * working directory, and its processes inherit it.
 */
export function dataArgument(place: Place, data: string): string {
  return place.runAs !== undefined && process.platform === 'linux' ? '/proc/self/cwd' : data;
}
