/** Whom Postgres runs as. It refuses to run as root, so a service that runs as root lends it another user. */
import { chownSync, existsSync, lchownSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ServiceError } from '../../base/errors.ts';

export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Undefined: as the service itself. As root: the owner of the data, else of the folder `root` that is to hold it, else
 * of the folder that holds that; `nobody` where they all belong to root. Throws `invalid-configuration` when the data
 * belongs to another user and we are not root.
 */
export function chooseUser(dataDirectory: string, root: string): RunAs | undefined {
  const self = process.getuid?.();
  if (self === undefined) return undefined;
  const data = ownerOf(dataDirectory);
  if (self !== 0) {
    if (data === undefined || data.uid === self) return undefined;
    throw new ServiceError(
      'invalid-configuration',
      `${dataDirectory} belongs to user ${data.uid}, and the service runs as user ${self}; run it as that user, or give it a folder of its own with JOINERY_DATA_DIR`,
    );
  }
  return (
    [data, ownerOf(root), ownerOf(dirname(root))].find((owner) => owner !== undefined && owner.uid !== 0) ?? nobody()
  );
}

function ownerOf(path: string): RunAs | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && { uid: stat.uid, gid: stat.gid };
}

/** The same user where it has a name, which the making of database files asks for; else `nobody`. */
export function named(user: RunAs): RunAs {
  return passwd().some(({ uid }) => uid === user.uid) ? user : nobody();
}

function nobody(): RunAs {
  const { uid, gid } = passwd().find(({ name }) => name === 'nobody') ?? { uid: 65534, gid: 65534 };
  return { uid, gid };
}

function passwd(): readonly (RunAs & { readonly name: string })[] {
  const file = '/etc/passwd';
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [name = '', , uid, gid] = line.split(':');
      // macOS writes nobody as -2.
      return Number(uid) > 0 && Number(gid) >= 0 ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
    });
}

/** Hands a folder and what is in it to that user. */
export function giveTo(path: string, user: RunAs): void {
  chownSync(path, user.uid, user.gid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) giveTo(join(path, entry.name), user);
    else lchownSync(join(path, entry.name), user.uid, user.gid);
  }
}
