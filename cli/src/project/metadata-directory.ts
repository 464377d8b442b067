/** Reads a project's metadata: a directory of version 2 or 3, or one file. Missing files count as empty. */

import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { nearestName } from '@joinery/metadata/commands/edit/nearest-name';
import { isJsonObject } from '@joinery/metadata/json';
import type { Members } from '@joinery/metadata/sdl/actions';
import { CliError, type ErrorDetail, type Place } from '../cli-error.ts';
import { type JoinedActions, joinActions } from './actions-file.ts';
import { rejectUnknown } from './actions-members.ts';
import { keysOf } from './json-path.ts';
import { type Key, type MetadataFiles, metadataFiles } from './metadata-files.ts';

/** Files whose content is a member of the metadata. */
export const plainFiles = {
  remote_schemas: 'remote_schemas.yaml',
  cron_triggers: 'cron_triggers.yaml',
  query_collections: 'query_collections.yaml',
  allowlist: 'allow_list.yaml',
  rest_endpoints: 'rest_endpoints.yaml',
  inherited_roles: 'inherited_roles.yaml',
  network: 'network.yaml',
  api_limits: 'api_limits.yaml',
  metrics_config: 'metrics_config.yaml',
  opentelemetry: 'opentelemetry.yaml',
  graphql_schema_introspection: 'graphql_schema_introspection.yaml',
  backend_configs: 'backend_configs.yaml',
} as const;

/** Files with tables and functions. */
export const databaseFiles = {
  2: { tables: 'tables.yaml', functions: 'functions.yaml' },
  3: { sources: 'databases/databases.yaml' },
} as const;

export type Layout =
  | { readonly kind: 'directory'; readonly version: 2 | 3 }
  | { readonly kind: 'file'; readonly file: string };

export interface LocalMetadata {
  readonly layout: Layout;
  /** The argument of `replace_metadata`. */
  readonly document: Members;
  readonly files: MetadataFiles;
  /** Undefined for a single file. */
  readonly actions: JoinedActions | undefined;
  /** Parts of the files that have no effect and are not sent to the service. */
  readonly warnings: readonly ErrorDetail[];
  /** Returns the place of a path, also of a path of the service into a document of version 2 without sources. */
  place(path: string | readonly Key[]): Place;
}

export interface MetadataLocation {
  readonly directory: string;
  /** One file instead of a directory. */
  readonly file?: string | undefined;
}

/** The metadata in `folder`. Throws CliError for what cannot be read or parsed. */
export async function readMetadataDirectory(folder: string): Promise<Members> {
  return (await readMetadata({ directory: folder })).document;
}

/** Throws CliError with file, line and column for what cannot be read or parsed. */
export async function readMetadata({ directory, file }: MetadataLocation): Promise<LocalMetadata> {
  if (file !== undefined) return readSingleFile(file);
  const files = metadataFiles(directory);
  const version = await readVersion(files);
  const document: Record<string, unknown> = { version };
  for (const [member, path] of Object.entries<string>(databaseFiles[version])) {
    const content = (await files.value(path)) ?? undefined;
    if (content !== undefined || member !== 'functions') document[member] = content ?? [];
  }
  for (const [member, path] of Object.entries(plainFiles)) {
    const content = await files.value(path);
    if (!isEmpty(content)) document[member] = content;
  }
  const written = ((await files.value('actions.yaml')) ?? {}) as Members;
  const sdl = (await files.text('actions.graphql')) ?? '';
  const actions = joinActions(written, sdl, directory, (keys) => files.place('actions.yaml', keys));
  const roots: Readonly<Record<string, string>> = { ...databaseFiles[version], ...plainFiles };
  const known = ['version.yaml', 'actions.yaml', ...Object.values(roots)];
  const unread = await unreadFiles(directory, new Set(files.read.keys()), known);
  return {
    layout: { kind: 'directory', version },
    document: { ...document, ...actions.metadata },
    files,
    actions,
    warnings: [...actions.warnings, ...unread],
    place: (path) => {
      const [member, ...keys] = sourceless(path, version === 2);
      if (member === 'actions' || member === 'custom_types') return actions.place([member, ...keys]);
      return files.place(roots[String(member)] ?? 'version.yaml', keys);
    },
  };
}

async function readSingleFile(path: string): Promise<LocalMetadata> {
  const [folder, file] = [dirname(path), basename(path)];
  const files = metadataFiles(folder);
  const content = await files.value(file);
  if (content === undefined) throw new CliError(`${path} does not exist; check metadata_file in config.yaml`);
  if (!isJsonObject(content)) {
    throw new CliError({ message: 'must contain the metadata as an object', place: files.place(file, []) });
  }
  // The file holds the metadata, or an export with its resource version.
  const wrapped = 'metadata' in content && 'resource_version' in content;
  const document = (wrapped ? content.metadata : content) as Members;
  const before = wrapped ? ['metadata'] : [];
  return {
    layout: { kind: 'file', file: path },
    document,
    files,
    actions: undefined,
    warnings: [],
    place: (given) => files.place(file, [...before, ...sourceless(given, !('sources' in document))]),
  };
}

async function readVersion(files: MetadataFiles): Promise<2 | 3> {
  const file = 'version.yaml';
  const content = (await files.value(file)) as { readonly version?: unknown } | undefined;
  if (content === undefined) {
    throw new CliError(
      `${join(files.folder, file)} does not exist; check whether "${files.folder}" is the metadata directory, or give --dir or --project`,
    );
  }
  if (typeof content === 'object' && content !== null) {
    rejectUnknown({ ...content }, ['version'], [], (keys) => files.place(file, keys));
  }
  const version = content?.version;
  if (version === 2 || version === 3) return version;
  throw new CliError({
    message: `version ${String(version)} is not supported, 2 and 3 are`,
    place: files.place(file, ['version']),
  });
}

function sourceless(path: string | readonly Key[], isSourceless: boolean): readonly Key[] {
  const keys = typeof path === 'string' ? keysOf(path) : path;
  return isSourceless && keys[0] === 'sources' ? keys.slice(2) : keys;
}

export function isEmpty(content: unknown): boolean {
  if (content === undefined || content === null) return true;
  return typeof content === 'object' && Object.keys(content).length === 0;
}

/** `read`: the paths that were read, relative to `directory`; `known`: the paths that can be read. */
async function unreadFiles(
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
