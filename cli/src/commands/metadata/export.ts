/** `joinery metadata export`: writes the metadata of a service to the project and leaves equal files unchanged. */
import { mkdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Metadata } from '@joinery/metadata/metadata';
import { strayMembers, withoutMembers } from '@joinery/metadata/schema/members';
import type { Members } from '@joinery/metadata/sdl/actions';
import { CliError } from '../../cli-error.ts';
import { printJson, printLine, wantsJson } from '../../print.ts';
import { readSdlFile } from '../../project/actions-sdl.ts';
import { hasSchemas, SCHEMAS, schemaFiles } from '../../project/editor-schemas.ts';
import {
  databaseFiles,
  isEmpty,
  type LocalMetadata,
  type MetadataLocation,
  plainFiles,
  readMetadata,
} from '../../project/metadata-directory.ts';
import { metadataFiles } from '../../project/metadata-files.ts';
import { canonical, canonicalExport, unknownMembers } from './canonical.ts';
import { MetadataMerge, type PlacedMember } from './merge.ts';
import { isSame } from './objects.ts';
import { type MetadataFlags, openMetadata } from './open-metadata.ts';
import { splitActions } from './split-actions.ts';
import { mergeSdl } from './write-actions.ts';

export interface ExportFlags extends MetadataFlags {
  readonly layout?: string;
  /** Removes members that have no effect in Hasura v2 either, and unknown members of the files. */
  readonly normalize?: boolean;
  readonly dryRun?: boolean;
}

/** Paths relative to `folder`. */
export interface FileChanges {
  readonly folder: string;
  readonly write: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
}

/** Resolves with the exit code. Throws CliError. */
export async function exportTo(flags: ExportFlags, environment: NodeJS.ProcessEnv): Promise<number> {
  const { location, connection, name } = await openMetadata(flags, environment);
  const layout = layoutVersion(flags.layout);
  const metadata = canonicalExport(await connection.command('export_metadata', {}));
  const wanted = flags.normalize === true ? normalized(metadata) : metadata;
  const changes = await fileChanges(location, wanted, layout, flags.normalize === true);
  if (flags.dryRun !== true) await writeChanges(changes);
  const { folder } = changes;
  const written = [...changes.write.keys()].sort().map((file) => join(folder, file));
  const removed = [...changes.remove].sort().map((file) => join(folder, file));
  if (wantsJson(flags)) {
    printJson({ written, removed });
    return 0;
  }
  const would = flags.dryRun === true ? 'would be ' : '';
  const ofSchemas = join(folder, SCHEMAS);
  for (const file of written.filter((one) => dirname(one) !== ofSchemas)) printLine(`${would}written  ${file}`);
  if (written.some((one) => dirname(one) === ofSchemas))
    printLine(`${would}written  ${ofSchemas} (JSON Schemas for editors)`);
  for (const file of removed) printLine(`${would}removed  ${file}`);
  if (written.length + removed.length === 0)
    printLine(`${name} already equals the metadata of ${connection.endpoint}.`);
  return 0;
}

function layoutVersion(layout: string | undefined): 2 | 3 {
  if (layout === undefined || layout === '3') return 3;
  if (layout === '2') return 2;
  throw new CliError(`--layout: unknown layout "${layout}"; use 2 or 3`);
}

/** Returns metadata without members that have no effect in Hasura v2 either. Unsupported features stay. */
function normalized(metadata: Members): Members {
  const stray = strayMembers(Metadata, metadata).flatMap(({ path, isIgnored }) => (isIgnored ? [path] : []));
  return withoutMembers(metadata, stray) as Members;
}

/**
 * Returns the changes that make the files equal to `metadata`; with `normalize`, without the members of the files that the
 * service does not know. Throws CliError for files that cannot be read.
 */
export async function fileChanges(
  location: MetadataLocation,
  metadata: Members,
  freshLayout: 2 | 3,
  normalize = false,
): Promise<FileChanges> {
  const local = (await isThere(location)) ? await readMetadata(location) : undefined;
  const was = local === undefined ? {} : (knownForm(local) ?? {});
  const unknown = normalize && local !== undefined ? unknownOf(local) : [];
  if (location.file !== undefined) return singleFile(location.file, local, unknown, { was, is: metadata });
  const { directory } = location;
  const files = local?.files ?? metadataFiles(directory);
  const version = local?.layout.kind === 'directory' ? local.layout.version : freshLayout;
  const schemas = local === undefined ? schemaFiles() : new Map<string, string>();
  const merge = new MetadataMerge(files, {
    split: version === 3,
    schemas: schemas.size > 0 || (await hasSchemas(directory)),
  });
  merge.remove(unknown);
  if (local === undefined) merge.root('version.yaml', { was: undefined, is: { version } }, [], true);
  databases(merge, version, was, metadata);
  for (const [member, file] of Object.entries(plainFiles)) {
    merge.root(file, { was: was[member], is: metadata[member] }, [member]);
  }
  rejectUnplaced(metadata);
  const text = (await files.text('actions.graphql')) ?? '';
  const sdl = local?.actions?.sdl ?? readSdlFile('', join(directory, 'actions.graphql'));
  const described = new Set([...sdl.actions].flatMap(([name, { field }]) => (field.description ? [name] : [])));
  const yaml = new Set(
    (
      (local?.files.read.get('actions.yaml')?.document.toJS() as Members | null)?.actions as
        | readonly Members[]
        | undefined
    )?.flatMap((one) => (typeof one.comment === 'string' ? [String(one.name)] : [])),
  );
  const inSdl = new Set([...described].filter((name) => !yaml.has(name)));
  const [old, now] = [splitActions(was, inSdl), splitActions(metadata, inSdl)];
  const speaks = now.signatures.size + now.types.size > 0 || local === undefined || files.read.has('actions.yaml');
  // A project without actions does not get a file for them.
  if (speaks) {
    const versions = { was: local === undefined ? undefined : old.yaml, is: now.yaml };
    merge.root('actions.yaml', versions, ['actions.yaml'], true);
  }
  const { write, remove } = merge.finish();
  const merged = mergeSdl(text, sdl, old, now);
  const signatures = merged === text ? [] : [['actions.graphql', merged] as const];
  return { folder: directory, write: new Map([...write, ...signatures, ...schemas]), remove };
}

/** Returns the members that are not sent to the service, and those that it does not know. */
function unknownOf(local: LocalMetadata): readonly PlacedMember[] {
  return [...local.warnings, ...unknownMembers(local)].flatMap(({ message, place }) => {
    const name = /^the member "([^"]*)"/.exec(message)?.[1];
    return name === undefined || place === undefined ? [] : [{ name, place }];
  });
}

/** Returns undefined for invalid files, which are rewritten completely. */
function knownForm(local: LocalMetadata): Members | undefined {
  try {
    return canonical(local);
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

function databases(merge: MetadataMerge, version: 2 | 3, was: Members, is: Members): void {
  if (version === 3) {
    merge.root(databaseFiles[3].sources, { was: was.sources, is: is.sources }, ['sources'], true);
    return;
  }
  const others = sourcesOf(is).filter(({ name }) => name !== 'default');
  if (others.length > 0) {
    const names = others.map(({ name }) => String(name)).join(', ');
    throw new CliError(
      `a directory of version 2 holds the source "default" alone, and the service has ${names} besides; export to a new directory`,
    );
  }
  const held = new Set(['name', 'kind', 'configuration', ...Object.keys(databaseFiles[2])]);
  for (const [member, value] of Object.entries(sourcesOf(is)[0] ?? {})) {
    if (held.has(member) || isEmpty(value)) continue;
    throw new CliError(
      `a directory of version 2 has no file for "${member}" of the source "default"; export to a new directory`,
    );
  }
  for (const [member, file] of Object.entries(databaseFiles[2])) {
    const [before, after] = [was, is].map((one) => sourcesOf(one)[0]?.[member]);
    merge.root(file, { was: before, is: after }, ['sources', '*', member], member === 'tables');
  }
}

function sourcesOf(metadata: Members): readonly Members[] {
  return (metadata.sources ?? []) as readonly Members[];
}

/** Throws CliError for members that no file of a directory can hold, since they would be lost. */
function rejectUnplaced(metadata: Members): void {
  const known = new Set(['version', 'sources', 'actions', 'custom_types', ...Object.keys(plainFiles)]);
  const stranger = Object.keys(metadata).find((member) => !known.has(member) && !isEmpty(metadata[member]));
  if (stranger === undefined) return;
  throw new CliError(
    `the service has "${stranger}" in its metadata, which a directory has no file for; use metadata_file in config.yaml`,
  );
}

function singleFile(
  path: string,
  local: LocalMetadata | undefined,
  unknown: readonly PlacedMember[],
  { was, is }: Readonly<Record<'was' | 'is', Members>>,
): FileChanges {
  const [folder, file] = [dirname(path), basename(path)];
  if (local !== undefined && unknown.length === 0 && isSame(was, is)) return { folder, write: new Map(), remove: [] };
  if (file.endsWith('.json')) {
    return { folder, write: new Map([[file, `${JSON.stringify(is, null, 2)}\n`]]), remove: [] };
  }
  const isSourceless = local !== undefined && !('sources' in local.document);
  const merge = new MetadataMerge(local?.files ?? metadataFiles(folder), { split: false });
  merge.remove(unknown);
  merge.root(file, { was: isSourceless ? undefined : was, is }, []);
  return { folder, ...merge.finish() };
}

async function isThere({ directory, file }: MetadataLocation): Promise<boolean> {
  try {
    await stat(file ?? join(directory, 'version.yaml'));
    return true;
  } catch {
    return false;
  }
}

/** Writes all files or none: each is written beside its path first, then all are renamed. Throws CliError. */
export async function writeChanges({ folder, write, remove }: FileChanges): Promise<void> {
  const staged: { readonly path: string; readonly temporary: string }[] = [];
  try {
    for (const [file, text] of write) {
      const path = join(folder, file);
      const temporary = join(dirname(path), `.${basename(path)}.new`);
      await mkdir(dirname(path), { recursive: true });
      staged.push({ path, temporary });
      await writeFile(temporary, text);
    }
    for (const { path, temporary } of staged) await rename(temporary, path);
    for (const file of remove) {
      await rm(join(folder, file));
      await removeEmpty(folder, dirname(file));
    }
  } catch (cause) {
    for (const { temporary } of staged) await rm(temporary, { force: true }).catch(() => undefined);
    throw new CliError(`${folder} cannot be written: ${(cause as Error).message}`, { cause });
  }
}

async function removeEmpty(folder: string, within: string): Promise<void> {
  for (let path = within; path !== '.' && path !== ''; path = dirname(path)) {
    try {
      await rmdir(join(folder, path));
    } catch {
      // The folder is not empty.
      return;
    }
  }
}
