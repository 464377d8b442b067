/**
 * Changes of the metadata that are in the service and not in the files, such as those of a console or of the API. `joinery dev` replaces
 * them when it applies the files, so it stores a copy before.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Members } from '@joinery/metadata/sdl/actions';
import { CliError } from '../../cli-error.ts';
import type { Connection } from '../../client/connection.ts';
import { paint, warn } from '../../print.ts';
import type { Project } from '../../project/config.ts';
import { readMetadata } from '../../project/metadata-directory.ts';
import { canonical, canonicalExport } from '../metadata/canonical.ts';
import { objectChanges } from '../metadata/objects.ts';

/** The metadata of the service after `joinery dev` applied the files, in the project's data folder. */
const APPLIED = 'applied-metadata.json';
const MAX_LISTED = 10;

/**
 * Stores a copy of the service's metadata, and prints its path, where applying the files replaces changes that were made in the
 * service since the last call of `recordApplied`. The first run of a project has nothing to compare with.
 */
export async function keepReplacedChanges(project: Project, connection: Connection): Promise<void> {
  const folder = join(project.folder, '.joinery');
  const [applied, wanted] = [await readApplied(folder), await readWanted(project)];
  if (applied === undefined || wanted === undefined) return;
  const { metadata } = await connection.command('export_metadata', {}, { version: 2 });
  const current = canonicalExport(metadata);
  const changed = new Set(objectChanges(applied, current).map(({ object }) => object));
  const replaced = objectChanges(current, wanted)
    .map(({ object }) => object)
    .filter((object) => changed.has(object));
  if (replaced.length === 0) return;
  const path = join(folder, `metadata-${new Date().toISOString().replace(/\D/g, '').slice(0, 17)}.json`);
  const command = { type: 'replace_metadata', version: 2, args: { allow_inconsistent_metadata: true, metadata } };
  await write(folder, path, `${JSON.stringify(command, null, 2)}\n`);
  warn(describe(replaced, relative(process.cwd(), path), project, connection.endpoint));
}

/** Stores the metadata that the service has after the files were applied. */
export async function recordApplied(project: Project, connection: Connection): Promise<void> {
  const { metadata } = await connection.command('export_metadata', {}, { version: 2 });
  const folder = join(project.folder, '.joinery');
  await write(folder, join(folder, APPLIED), JSON.stringify(canonicalExport(metadata)));
}

async function readApplied(folder: string): Promise<Members | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, APPLIED), 'utf8')) as Members;
  } catch {
    // Missing before the first run, or damaged by an interrupted one.
    return undefined;
  }
}

/** Returns the metadata of the files, or undefined where they are invalid and therefore replace nothing. */
async function readWanted({ metadataDirectory: directory, metadataFile: file }: Project): Promise<Members | undefined> {
  try {
    return canonical(await readMetadata({ directory, file }));
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

async function write(folder: string, path: string, text: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(path, text);
  } catch (error) {
    throw new CliError(`cannot write ${path}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function describe(objects: readonly string[], path: string, project: Project, endpoint: string): string {
  const more = objects.length > MAX_LISTED ? [`and ${objects.length - MAX_LISTED} more`] : [];
  const secret =
    project.adminSecret === undefined ? '' : ` -H "${project.headerPrefix}Admin-Secret: $JOINERY_ADMIN_SECRET"`;
  return [
    `${paint('yellow', 'warning', process.stderr)} The files replace changes of the service's metadata that they do not have:`,
    ...[...objects.slice(0, MAX_LISTED), ...more].map((object) => `  ${object}`),
    `The metadata before is in ${path}. To restore it and write it to the files:`,
    `  curl -s ${endpoint}/v1/metadata${secret} -d @${path}`,
    '  joinery metadata export',
  ].join('\n');
}
