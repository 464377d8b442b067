/** Whom Postgres runs as. It refuses to run as root, so a service that runs as root lends it another user. */
import { chownSync, lchownSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ServiceError } from '../base/errors.ts';

export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

/** What the kernel calls a user without rights, where no other number is known. */
const overflow: RunAs = { uid: 65534, gid: 65534 };

/**
 * Undefined: as the service itself. As root: the owner of the data, else of the folder that is to hold it, so that
 * nobody's files change hands; `nobody` where those belong to root. Throws `invalid-configuration` when the data
 * belongs to another user and we are not root.
 */
export function chooseUser(dataDirectory: string): RunAs | undefined {
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
  const owner = data !== undefined && data.uid !== 0 ? data : ownerOf(nearestExisting(dirname(dataDirectory)));
  return owner !== undefined && owner.uid !== 0 ? owner : nobody();
}

function ownerOf(path: string): RunAs | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && { uid: stat.uid, gid: stat.gid };
}

function nearestExisting(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) !== undefined || dirname(path) === path
    ? path
    : nearestExisting(dirname(path));
}

function nobody(): RunAs {
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((entry) => entry.startsWith('nobody:'));
    const [, , uid, gid] = line?.split(':').map(Number) ?? [];
    // macOS writes nobody as -2.
    if (uid !== undefined && gid !== undefined && uid > 0 && gid > 0) return { uid, gid };
  } catch {
    // A container without /etc/passwd.
  }
  return overflow;
}

/** Hands a folder and what is in it to that user. */
export function giveTo(path: string, user: RunAs): void {
  chownSync(path, user.uid, user.gid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) giveTo(join(path, entry.name), user);
    else lchownSync(join(path, entry.name), user.uid, user.gid);
  }
}
