/** Parses metadata documents: version 3, or the older versions with a single source. */

import { z } from 'zod';
import { rejectRatesByRole } from '../commands/api-limits.ts';
import {
  argumentsInSteps,
  type InSteps,
  parseArguments,
  parseStored,
  rejectUnknown,
  runToEnd,
} from '../commands/edit/arguments.ts';
import { tableLabel } from '../commands/edit/change.ts';
import { EditError } from '../commands/edit/edit-error.ts';
import { nearestName } from '../commands/edit/nearest-name.ts';
import { isJsonObject } from '../json.ts';
import { Metadata, withCronTriggers } from '../metadata.ts';
import { DEFAULT_SOURCE } from '../names.ts';
import {
  closedObject,
  DROPPED,
  type StrayMember,
  strayAndNullMembers,
  strayMembers,
  withoutMembers,
} from '../schema/members.ts';
import type { Source } from '../schema/sources.ts';
import type { TableEntry } from '../schema/tables.ts';
import { excludedTriggers } from './export.ts';

/** Members of all versions, parsed as in version 3. */
const commonMembers = Object.keys(Metadata.omit({ version: true, sources: true }).shape);

/** Versions 1 and 2 have tables in place of sources. */
const SourcelessDocument = closedObject({
  ...Object.fromEntries(commonMembers.map((name) => [name, z.unknown().optional()])),
  version: z.union([z.literal(1), z.literal(2)]).optional(),
  tables: z.array(z.unknown()),
  functions: z.array(z.unknown()).nullish(),
});

/** Receives an unknown member that was removed from a document. Its path is from the root of the document. */
export type OnRemoved = (member: StrayMember) => void;

/** An older document with its tables in a source. */
const WholeDocument = closedObject({
  ...Metadata.shape,
  tables: z.unknown().optional(),
  functions: z.unknown().optional(),
});

/**
 * Parses a metadata document. A document without sources describes the default source, whose connection is taken from
 * `current`. With `onRemoved`, unknown members are removed and passed to it, except for those whose name is similar to that of
 * a valid member, which are errors as all unknown members are without it. Throws EditError with a path into the document.
 */
export function readDocument(document: unknown, current: Metadata, onRemoved?: OnRemoved): Metadata {
  return runToEnd(documentInSteps(document, current, onRemoved));
}

/** As `readDocument`, in steps for large metadata. */
export function* documentInSteps(document: unknown, current: Metadata, onRemoved?: OnRemoved): InSteps<Metadata> {
  const known = onRemoved === undefined ? document : withoutUnknown(document, onRemoved);
  yield;
  const read = yield* readAny(known, current);
  yield;
  return withUnexported(read, current);
}

/** Removes the members that Hasura v2 ignores and this service does not know. */
function withoutUnknown(document: unknown, onRemoved: OnRemoved): unknown {
  const removed = unknownMembersOf(document);
  for (const member of removed) onRemoved(member);
  return withoutMembers(
    document,
    removed.map(({ path }) => path),
  );
}

/** Returns the unknown members of a document whose names are not similar to valid ones, and which parsing does not drop. */
export function unknownMembersOf(document: unknown): readonly StrayMember[] {
  const isOlder = isSourceless(document) && isJsonObject(document);
  // The tables of an older document are those of its only source.
  const whole = isOlder ? { ...document, version: 3, sources: [sourceOf(document)] } : document;
  return strayMembers(isOlder ? WholeDocument : Metadata, whole).flatMap((member): StrayMember[] => {
    const { kind, path, known } = member;
    const name = String(path.at(-1));
    if (kind !== 'unknown' || name === DROPPED || nearestName(name, known) !== undefined) return [];
    return [isOlder && path[0] === 'sources' ? { ...member, path: path.slice(2) } : member];
  });
}

/** Keeps the cron triggers that are excluded from exports. */
function withUnexported(read: Metadata, current: Metadata): Metadata {
  const kept = excludedTriggers(current);
  if (kept.length === 0) return read;
  const own = read.cron_triggers ?? [];
  own.forEach(({ name }, index) => {
    if (!kept.some((one) => one.name === name)) return;
    const message = `cron trigger with name "${name}" already exists outside of the metadata; delete it first`;
    throw new EditError('already-exists', message, `$.cron_triggers[${index}]`);
  });
  return withCronTriggers(read, [...own, ...kept]);
}

function* readAny(document: unknown, current: Metadata): InSteps<Metadata> {
  if (!isSourceless(document)) {
    // Members are validated with the rest of the document.
    const metadata = yield* argumentsInSteps(Metadata, document, 'metadata');
    if (isJsonObject(document) && (document.sources ?? undefined) === undefined) {
      // The default, which is for stored metadata, would remove every source.
      throw new EditError('parse-failed', 'missing member "sources" of the metadata', '$.sources');
    }
    yield;
    return validated(metadata);
  }
  const parsed = parseArguments(SourcelessDocument, document, 'metadata');
  const { version: _version, tables: _tables, functions: _functions, ...rest } = parsed;
  const settings = current.sources.find((source) => source.name === DEFAULT_SOURCE);
  if (settings === undefined) {
    const message = `metadata without sources describes the source "${DEFAULT_SOURCE}", which does not exist; add it first`;
    throw new EditError('not-supported', message, '$');
  }
  const written = sourceOf(parsed);
  try {
    const whole = { ...rest, version: 3, sources: [written] };
    rejectUnknown(Metadata, whole, 'metadata');
    yield;
    // Stored settings may contain unknown members.
    const merged = { ...whole, sources: [{ ...connectionOf(settings), ...written }] };
    const nulls = strayAndNullMembers(Metadata, merged).filter(({ kind }) => kind === 'null');
    const known = withoutMembers(
      merged,
      nulls.map(({ path }) => path),
    );
    return validated(parseStored(Metadata, known));
  } catch (error) {
    if (!(error instanceof EditError)) throw error;
    throw new EditError(error.code, error.message, error.path.replace(/^\$\.sources\[0\]/, '$'));
  }
}

/** The members of the only source of an older document. */
function sourceOf({ tables, functions }: { readonly tables?: unknown; readonly functions?: unknown }) {
  const entries = Array.isArray(functions) ? functions.map(functionEntry) : functions;
  return { name: DEFAULT_SOURCE, tables, ...(entries !== undefined && entries !== null && { functions: entries }) };
}

/** Returns an entry as in version 2 of one as in version 1, which is the name of the function. */
function functionEntry(written: unknown): unknown {
  const isName =
    typeof written === 'string' || (isJsonObject(written) && 'name' in written && !('function' in written));
  return isName ? { function: written } : written;
}

/** Returns metadata with only the default source, without tables, and the cron triggers that are excluded from exports. */
export function clearedMetadata(current: Metadata): Metadata {
  const settings = current.sources.find((source) => source.name === DEFAULT_SOURCE) ?? { kind: 'postgres' };
  const source = { name: DEFAULT_SOURCE, tables: [], ...connectionOf(settings) };
  return withCronTriggers({ version: 3, sources: [source] }, excludedTriggers(current));
}

/** Returns the members of a source that a document without sources does not replace. */
function connectionOf({ kind, configuration }: Pick<Source, 'kind' | 'configuration'>) {
  return { kind, ...(configuration && { configuration }) };
}

/** Checks what stored metadata of an earlier release may violate. */
function validated(metadata: Metadata): Metadata {
  rejectDuplicates(metadata);
  if (metadata.api_limits) rejectRatesByRole(metadata.api_limits, '$.api_limits');
  return metadata;
}

function isSourceless(document: unknown): boolean {
  if (typeof document !== 'object' || document === null) return false;
  return (document as { version?: unknown }).version !== 3 && !('sources' in document);
}

/** Throws EditError for duplicate names. */
function rejectDuplicates(metadata: Metadata): void {
  unique(metadata.sources, '$.sources', (source) => `source "${source.name}"`);
  unique(metadata.remote_schemas, '$.remote_schemas', (one) => `remote schema "${one.name}"`);
  unique(metadata.inherited_roles, '$.inherited_roles', (one) => `inherited role "${one.role_name}"`);
  unique(metadata.cron_triggers, '$.cron_triggers', (one) => `cron trigger "${one.name}"`);
  unique(metadata.query_collections, '$.query_collections', (one) => `query collection "${one.name}"`);
  unique(metadata.allowlist, '$.allowlist', (one) => `collection "${one.collection}" of the allow list`);
  unique(metadata.actions, '$.actions', (one) => `action "${one.name}"`);
  metadata.actions?.forEach((action, index) => {
    unique(action.permissions, `$.actions[${index}].permissions`, (one) => `permission for role "${one.role}"`);
  });
  metadata.remote_schemas?.forEach((remote, index) => {
    const path = `$.remote_schemas[${index}]`;
    unique(remote.permissions, `${path}.permissions`, (one) => `permission for role "${one.role}"`);
    const types = remote.remote_relationships;
    unique(types, `${path}.remote_relationships`, (one) => `type "${one.type_name}"`);
    types?.forEach(({ relationships }, position) => {
      const within = `${path}.remote_relationships[${position}].relationships`;
      unique(relationships, within, (one) => `relationship "${one.name}"`);
    });
  });
  metadata.sources.forEach((source, index) => {
    rejectDuplicateTables(source, `$.sources[${index}]`);
  });
}

function rejectDuplicateTables(source: Source, path: string): void {
  unique(source.tables, `${path}.tables`, (entry) => `table ${tableLabel(entry.table)}`);
  unique(source.functions, `${path}.functions`, (entry) => `function ${tableLabel(entry.function)}`);
  const triggers = new Set<string>();
  source.tables.forEach((entry, index) => {
    rejectDuplicateMembers(entry, `${path}.tables[${index}]`);
    entry.event_triggers?.forEach(({ name }, position) => {
      // The code of Hasura v2.
      if (triggers.has(name)) {
        const message = `Event trigger with duplicate names not allowed: "${name}"`;
        throw new EditError('not-supported', message, `${path}.tables[${index}].event_triggers[${position}]`);
      }
      triggers.add(name);
    });
  });
}

function rejectDuplicateMembers(entry: TableEntry, path: string): void {
  const taken = new Set<string>();
  unique(entry.computed_fields, `${path}.computed_fields`, (one) => `computed field "${one.name}"`);
  for (const kind of ['object_relationships', 'array_relationships', 'remote_relationships'] as const) {
    const relationships: readonly { readonly name: string }[] | undefined = entry[kind];
    unique(relationships, `${path}.${kind}`, (one) => `relationship "${one.name}"`, taken);
  }
  for (const kind of ['insert', 'select', 'update', 'delete'] as const) {
    const permissions: readonly { readonly role: string }[] | undefined = entry[`${kind}_permissions`];
    unique(permissions, `${path}.${kind}_permissions`, (one) => `${kind} permission for role "${one.role}"`);
  }
}

function unique<T>(
  list: readonly T[] | undefined,
  path: string,
  label: (element: T) => string,
  taken = new Set<string>(),
): void {
  list?.forEach((element, index) => {
    const name = label(element);
    if (taken.has(name)) throw new EditError('parse-failed', `${name} is defined twice`, `${path}[${index}]`);
    taken.add(name);
  });
}
