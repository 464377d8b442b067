/** The user that PostgreSQL runs as. It does not run as root; a service that runs as root starts it as another user. */
import { chownSync, existsSync, lchownSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ServiceError } from '../../base/errors.ts';

export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Chooses the user of PostgreSQL; undefined: the user of the service. If that is root: the owner of the data, of the folder
 * `root` or of its parent, in this order; the unprivileged user of the system if root owns all of them. Throws
 * `invalid-configuration` if the data belongs to another user and the service does not run as root.
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
    [data, ownerOf(root), ownerOf(dirname(root))].find((owner) => owner !== undefined && owner.uid !== 0) ??
    unprivilegedUser()
  );
}

function ownerOf(path: string): RunAs | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && { uid: stat.uid, gid: stat.gid };
}

/** Returns the user if it has a name, which initdb requires; otherwise the unprivileged user of the system. */
export function named(user: RunAs): RunAs {
  return passwd().some(({ uid }) => uid === user.uid) ? user : unprivilegedUser();
}

function unprivilegedUser(): RunAs {
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

/** Makes the user the owner of a folder and its contents. */
export function giveTo(path: string, user: RunAs): void {
  chownSync(path, user.uid, user.gid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) giveTo(join(path, entry.name), user);
    else lchownSync(join(path, entry.name), user.uid, user.gid);
  }
}
