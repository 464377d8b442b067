/** Finds files of a metadata directory that are not read, such as one with a misspelled name. */
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { nearestName } from '@joinery/metadata/commands/edit/nearest-name';
import type { ErrorDetail } from '../cli-error.ts';

/** `read`: the paths that were read, relative to `directory`; `known`: the paths that can be read. */
export async function unreadFiles(
  directory: string,
  read: ReadonlySet<string>,
  known: readonly string[],
): Promise<readonly ErrorDetail[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'));
  return files
    .filter((file) => !read.has(file))
    .sort()
    .map((file) => {
      const near = nearestName(file, known);
      const advice =
        near === undefined ? 'include it from a file that is read, or remove it' : `did you mean "${near}"?`;
      return {
        message: `this file is not read; ${advice}`,
        place: { file: join(directory, file), line: 1, column: 1 },
      };
    });
}
