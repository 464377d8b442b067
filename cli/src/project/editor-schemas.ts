/**
 * JSON Schemas in a project, by which editors complete and check its YAML files. Files refer to them by relative paths in the
 * comment that the YAML language server reads, so that they work offline and on every machine.
 */
import { stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { FileName } from '@joinery/metadata/files/files';
import { jsonSchemas } from '@joinery/metadata/files/json-schema';
import { isCollection, isMap, isScalar, type Pair } from 'yaml';
import { databaseFiles, type LocalMetadata, plainFiles } from './metadata-directory.ts';
import type { MetadataFiles } from './metadata-files.ts';

/** The folder of the schemas in the metadata directory. */
export const SCHEMAS = '.schemas';

/** The path of a value as member names; `*` for elements. */
type Trail = readonly string[];

const line = /^[ \t]*#[ \t]*yaml-language-server:.*\n?/m;

/** Returns the schemas as texts by path in the metadata directory. */
export function schemaFiles(): ReadonlyMap<string, string> {
  return new Map([...jsonSchemas()].map(([name, schema]) => [`${SCHEMAS}/${name}`, `${JSON.stringify(schema)}\n`]));
}

/** Whether the metadata directory has the schemas, so that new files refer to them. */
export async function hasSchemas(directory: string): Promise<boolean> {
  try {
    return (await stat(join(directory, SCHEMAS))).isDirectory();
  } catch {
    return false;
  }
}

/** Returns the text with the schema of its kind in its first line. `file`: the path in the metadata directory. */
export function withSchema(file: string, kind: FileName, text: string): string {
  return withReference(posix.relative(posix.dirname(file), `${SCHEMAS}/${kind}.json`), text);
}

/** Returns the text with the schema at `path`, relative to the file, in its first line. */
export function withReference(path: string, text: string): string {
  return `# yaml-language-server: $schema=${path}\n${text}`;
}

/** Whether the text refers to a schema, of any kind. */
export function hasSchema(text: string): boolean {
  return line.test(text);
}

/** Returns `after` with the schema line of `before` as its first line, if `before` has one there. */
export function withSameSchema(before: string, after: string): string {
  const found = line.exec(before);
  if (found === null || found.index !== 0 || after.startsWith(found[0])) return after;
  return found[0] + after.replace(line, '');
}

/** Returns the kind of a new file by the member of the metadata that it has. */
export function kindOf(file: string, trail: Trail): FileName | undefined {
  const path = trail.join('.').replace(/^sources\.?/, '');
  if (trail[0] === 'sources') return partsOfSources[path];
  return rootKinds[file];
}

const partsOfSources: Readonly<Record<string, FileName>> = {
  '': 'databases',
  '*': 'source',
  '*.tables': 'tables',
  '*.tables.*': 'table',
  '*.functions': 'functions',
  '*.functions.*': 'function',
  '*.native_queries': 'native_queries',
  '*.native_queries.*': 'native_query',
  '*.logical_models': 'logical_models',
  '*.logical_models.*': 'logical_model',
};

const plainKinds = Object.values(plainFiles).map((file) => [file, file.replace('.yaml', '') as FileName]);
const rootKinds: Readonly<Record<string, FileName>> = {
  'version.yaml': 'version',
  'actions.yaml': 'actions',
  ...(Object.fromEntries(plainKinds) as Readonly<Record<string, FileName>>),
};

/** Returns the kinds of the files that were read. Files with other parts of the metadata have none. */
export function kindsOfFiles({ layout, files }: LocalMetadata): ReadonlyMap<string, FileName> {
  const kinds = new Map<string, FileName>();
  const root = (file: string, trail: Trail, kind = kindOf(file, trail)): void => {
    const contents = files.read.get(file)?.document.contents;
    if (contents === undefined || kind === undefined) return;
    kinds.set(file, kind);
    included(files, file, contents, trail, kinds);
  };
  if (layout.kind === 'file') return new Map([...files.read.keys()].slice(0, 1).map((file) => [file, 'metadata']));
  for (const [file] of Object.entries(rootKinds)) root(file, []);
  const { tables, functions } = databaseFiles[2];
  root(tables, ['sources', '*', 'tables']);
  root(functions, ['sources', '*', 'functions']);
  root(databaseFiles[3].sources, ['sources']);
  return kinds;
}

/** Adds the kinds of the files that `node` of `file` includes. */
function included(files: MetadataFiles, file: string, node: unknown, trail: Trail, kinds: Map<string, FileName>): void {
  if (isScalar(node)) {
    const target = files.included(file, node);
    const kind = target === undefined ? undefined : kindOf(target, trail);
    if (target === undefined || kind === undefined || trail[0] !== 'sources') return;
    kinds.set(target, kind);
    included(files, target, files.read.get(target)?.document.contents, trail, kinds);
    return;
  }
  if (!isCollection(node) || trail.length >= 4) return;
  for (const item of node.items) {
    if (isMap(node)) {
      const { key, value } = item as Pair;
      included(files, file, value, [...trail, isScalar(key) ? String(key.value) : ''], kinds);
    } else included(files, file, item, [...trail, '*'], kinds);
  }
}
