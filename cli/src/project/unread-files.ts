/** Files of a metadata directory that nothing reads, such as one with a misspelt name. */
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { nearestName } from '@joinery/metadata/commands/edit/nearest-name';
import type { Fault } from '../cli-error.ts';

/** `read`: the paths, relative to `directory`, that were read; `known`: those that would be. */
export async function unreadFiles(
  directory: string,
  read: ReadonlySet<string>,
  known: readonly string[],
): Promise<readonly Fault[]> {
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
        message: `no part of the metadata is read from this file; ${advice}`,
        place: { file: join(directory, file), line: 1, column: 1 },
      };
    });
}
