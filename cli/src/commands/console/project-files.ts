/** The files of a project that changes of the console write: contents, staged migrations, restoring. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { FileChange, MigrationDraft, ProjectMigration } from '@joinery/metadata/api/project';
import { CliError } from '../../cli-error.ts';
import type { Project } from '../../project/config.ts';
import type { MetadataLocation } from '../../project/metadata-directory.ts';
import { type FileChanges, writeChanges } from '../metadata/export.ts';
import { titleOf } from '../migrate/files.ts';

/** Returns the content of a file; undefined where it does not exist. */
export async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw new CliError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** Returns the files with their contents before and after. */
export async function describeChanges(project: Project, { folder, write, remove }: FileChanges): Promise<FileChange[]> {
  const described = [...write]
    .map(([file, after]) => ({ file, after: after as string | undefined }))
    .concat(remove.map((file) => ({ file, after: undefined })))
    .map(async ({ file, after }) => {
      const path = join(folder, file);
      return { path: inProject(project, path), before: await contentOf(path), after };
    });
  return (await Promise.all(described)).sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Returns the path relative to the project, with slashes. */
function inProject({ folder }: Project, path: string): string {
  return relative(folder, path).split(sep).join('/');
}

/** Returns the path of the first file whose content is not the one after the change. */
export async function changedSince({ folder }: Project, files: readonly FileChange[]): Promise<string | undefined> {
  for (const { path, after } of files) if ((await contentOf(join(folder, path))) !== after) return path;
  return undefined;
}

/** Gives all files their content before the change, or none. Throws CliError. */
export async function restoreFiles({ folder }: Project, files: readonly FileChange[]): Promise<void> {
  const write = files.flatMap(({ path, before }) => (before === undefined ? [] : [[path, before] as const]));
  const remove = files.flatMap(({ path, before }) => (before === undefined ? [path] : []));
  await writeChanges({ folder, write: new Map(write), remove });
}

/** Returns a digest of the names and contents of the metadata files. */
export async function digestOf({ directory, file }: MetadataLocation): Promise<string> {
  const hash = createHash('sha256');
  const files = file === undefined ? await filesIn(directory) : [file];
  for (const path of files) hash.update(`${path}\0${(await contentOf(path)) ?? ''}\0`);
  return hash.digest('hex');
}

async function filesIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && /\.(ya?ml|graphql|json)$/.test(entry.name));
  return files.map((entry) => join(entry.parentPath, entry.name)).sort();
}

/** Bytes that are written as a test. An export rarely writes more. */
const PROBE_BYTES = 256 * 1024;

/** Throws CliError where the folder cannot be written, such as on a full disk. */
export async function requireWritable(folder: string): Promise<void> {
  const probe = join(folder, `.joinery-${process.pid}.new`);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(probe, Buffer.alloc(PROBE_BYTES));
  } catch (cause) {
    throw new CliError(`${folder} cannot be written: ${(cause as Error).message}; nothing was changed`, { cause });
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
}

export interface StagedMigration {
  readonly migration: ProjectMigration;
  readonly files: readonly FileChange[];
  /** Gives the folder its name. Throws CliError, and then the files stay where they are. */
  commit(): Promise<void>;
  /** Removes the files, unless `commit` was called. */
  discard(): Promise<void>;
}

/** Writes the files of a migration to a hidden folder beside its own. Throws CliError, and then there is none. */
export async function stageMigration(
  project: Project,
  { source, name, up, down }: MigrationDraft,
  version: string,
): Promise<StagedMigration> {
  const migration = { source, version, name };
  const folder = join(project.migrationsDirectory, source, titleOf(migration));
  const hidden = join(dirname(folder), `.${version}.new`);
  let isNeeded = false;
  const discard = async (): Promise<void> => {
    if (!isNeeded) await rm(hidden, { recursive: true, force: true });
  };
  try {
    await mkdir(hidden, { recursive: true });
    await writeFile(join(hidden, 'up.sql'), up);
    if (down !== '') await writeFile(join(hidden, 'down.sql'), down);
  } catch (cause) {
    await discard().catch(() => undefined);
    throw new CliError(`${folder} cannot be written: ${(cause as Error).message}; nothing was changed`, { cause });
  }
  const texts = [['up.sql', up] as const, ...(down === '' ? [] : [['down.sql', down] as const])];
  return {
    migration,
    files: texts.map(([file, after]) => ({ path: inProject(project, join(folder, file)), after })),
    commit: async () => {
      isNeeded = true;
      try {
        await rename(hidden, folder);
      } catch (cause) {
        throw new CliError(`${hidden} cannot be renamed to ${folder}: ${(cause as Error).message}; rename it`, {
          cause,
        });
      }
    },
    discard,
  };
}

/** Returns the branch that is checked out in the folder or a parent of it. */
export async function branchOf(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    let head = await contentOf(join(at, '.git', 'HEAD')).catch(() => undefined);
    const link = head === undefined ? await contentOf(join(at, '.git')).catch(() => undefined) : undefined;
    const linked = /^gitdir: (.*)$/m.exec(link ?? '')?.[1];
    if (linked !== undefined) head = await contentOf(join(at, linked, 'HEAD')).catch(() => undefined);
    if (head !== undefined) return /^ref: refs\/heads\/(.*)$/m.exec(head)?.[1] ?? head.trim().slice(0, 10);
    if (dirname(at) === at) return undefined;
  }
}
