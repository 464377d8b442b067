/** Draft of the definition of a remote relationship. Pure. */
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { type JsonFormat, Unreadable } from '../../ui/form/beside-text/json-format.ts';
import { numberIn } from '../../ui/form/beside-text/schema-errors.ts';
import { keysIn, type PathStep, readPath, writePath } from '../remote-fields/remote-path.ts';
import type { MappingRow } from './mapping-fields.tsx';

export type TargetKind = 'table' | 'function' | 'remote schema' | 'action';

export const targetLabels: Readonly<Record<TargetKind, string>> = {
  table: 'A table',
  function: 'A function that returns rows',
  'remote schema': 'A field of a remote schema',
  action: 'A query action',
};

export interface DefinitionDraft {
  readonly kind: TargetKind;
  /** Of tables and functions. */
  readonly shape: 'object' | 'array';
  readonly source: string;
  readonly schema: string;
  /** Name of the table or function. Empty for none. */
  readonly target: string;
  readonly rows: readonly MappingRow[];
  /** Empty for none. */
  readonly remoteSchema: string;
  /** Empty until a field is chosen. */
  readonly path: readonly PathStep[];
  /** Empty for none. */
  readonly action: string;
  readonly arguments: JsonObject;
  /** Maximum inputs in a call. Undefined without batches, empty for the default. */
  readonly batch: string | undefined;
}

export const emptyRows: readonly MappingRow[] = [{ key: 0, from: null, to: null }];

export const emptyDefinition: DefinitionDraft = {
  kind: 'remote schema',
  shape: 'object',
  source: 'default',
  schema: 'public',
  target: '',
  rows: emptyRows,
  remoteSchema: '',
  path: [],
  action: '',
  arguments: {},
  batch: undefined,
};

export const definitionFormat: JsonFormat<DefinitionDraft> = { write: writeDefinition, read: readDefinition };

function writeDefinition(draft: DefinitionDraft): JsonObject {
  switch (draft.kind) {
    case 'remote schema': {
      const { remoteSchema: remote_schema, path } = draft;
      const lhs_fields = keysIn(path.map((step) => step.arguments));
      return { to_remote_schema: { remote_schema, lhs_fields, remote_field: writePath(path) } };
    }
    case 'action': {
      const { action, arguments: given, batch } = draft;
      const size = batch === undefined ? undefined : batch.trim() === '' ? {} : { max_size: numberIn(batch) };
      return { to_action: { action, arguments: given, ...(size !== undefined && { batch: size }) } };
    }
    case 'table':
    case 'function': {
      const { kind, source, schema, target, shape, rows } = draft;
      const chosen = rows.filter(({ from, to }) => from !== null || to !== null);
      const field_mapping = Object.fromEntries(chosen.map(({ from, to }) => [from ?? '', to ?? '']));
      return { to_source: { source, [kind]: { schema, name: target }, relationship_type: shape, field_mapping } };
    }
    default:
      return draft.kind satisfies never;
  }
}

function readDefinition(json: unknown): DefinitionDraft | Unreadable {
  if (!isJsonObject(json)) return new Unreadable('It must be an object.');
  const members = Object.entries(json);
  const [entry] = members;
  if (members.length !== 1 || entry === undefined) {
    return new Unreadable('It must have one member: "to_remote_schema", "to_action" or "to_source".');
  }
  const [name, target] = entry;
  if (!isJsonObject(target)) return new Unreadable(`"${name}" must be an object.`);
  if (name === 'to_remote_schema') return readRemote(target);
  if (name === 'to_action') return readAction(target);
  if (name === 'to_source') return readSource(target);
  return new Unreadable(`There is no target "${name}".`);
}

function readRemote({ remote_schema, lhs_fields: _keys, remote_field, ...others }: JsonObject) {
  const unknown = otherMember(others);
  if (unknown !== undefined) return unknown;
  const path = readPath(remote_field ?? {});
  if (path instanceof Unreadable) return path;
  return { ...emptyDefinition, kind: 'remote schema' as const, remoteSchema: textOf(remote_schema), path };
}

function readAction({ action, arguments: given = {}, batch, ...others }: JsonObject) {
  const unknown = otherMember(others);
  if (unknown !== undefined) return unknown;
  if (!isJsonObject(given)) return new Unreadable('"arguments" must be an object.');
  const size = isJsonObject(batch) ? String(batch.max_size ?? '') : undefined;
  return { ...emptyDefinition, kind: 'action' as const, action: textOf(action), arguments: given, batch: size };
}

function readSource(written: JsonObject): DefinitionDraft | Unreadable {
  const { source, table, function: called, relationship_type: shape, field_mapping: mapping = {}, ...others } = written;
  const unknown = otherMember(others);
  if (unknown !== undefined) return unknown;
  if (shape !== 'object' && shape !== 'array') return new Unreadable('"relationship_type" must be object or array.');
  if ((table === undefined) === (called === undefined)) return new Unreadable('Give either "table" or "function".');
  const target = table ?? called;
  const { schema, name } = typeof target === 'string' ? { schema: 'public', name: target } : nameIn(target);
  if (!isJsonObject(mapping)) return new Unreadable('"field_mapping" must be an object.');
  const rows = Object.entries(mapping).map(([from, to], key) => ({ key, from: from || null, to: textOf(to) || null }));
  return {
    ...emptyDefinition,
    kind: table === undefined ? 'function' : 'table',
    shape,
    source: textOf(source),
    schema,
    target: name,
    rows: rows.length === 0 ? emptyRows : rows,
  };
}

function nameIn(target: unknown): { readonly schema: string; readonly name: string } {
  const { schema, name } = isJsonObject(target) ? target : {};
  return { schema: schema === undefined ? 'public' : textOf(schema), name: textOf(name) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function otherMember(others: JsonObject): Unreadable | undefined {
  const [name] = Object.keys(others);
  return name === undefined ? undefined : new Unreadable(`The form has no input for "${name}".`);
}

/** Returns what is missing in the form, by input. */
export function missingChoices(draft: DefinitionDraft): Readonly<Record<string, string>> {
  switch (draft.kind) {
    case 'remote schema':
      if (draft.remoteSchema === '') return { remoteSchema: 'Choose a remote schema.' };
      return draft.path.length === 0 ? { path: 'Choose a field.' } : {};
    case 'action':
      return draft.action === '' ? { action: 'Choose an action.' } : {};
    case 'table':
    case 'function': {
      if (draft.target === '') return { target: `Choose a ${draft.kind}.` };
      const isMapped = draft.rows.every(({ from, to }) => from !== null && to !== null);
      return isMapped ? {} : { rows: 'Complete each pair, or remove it.' };
    }
    default:
      return draft.kind satisfies never;
  }
}

/** Returns the errors of arguments in a message of the service, by path of the argument: `where` or `where.id`. */
export function argumentProblems(message: string | undefined): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  for (const part of (message ?? '').split('; ')) {
    const [, path, reason] = /((?:field "[^"]+" in )*argument "[^"]+") of [^:]*: (.*)$/.exec(part) ?? [];
    if (path !== undefined && reason !== undefined) problems.set(pathOf(path), reason);
    const [, missing] = /needs the argument "([^"]+)"/.exec(part) ?? [];
    if (missing !== undefined) problems.set(missing, 'This argument is required.');
    const [, unknown] = /has no argument "([^"]+)"/.exec(part) ?? [];
    if (unknown !== undefined) problems.set(unknown, 'There is no argument of this name.');
  }
  return problems;
}

/** Returns `where.id` of `field "id" in argument "where"`. */
function pathOf(described: string): string {
  return [...described.matchAll(/"([^"]+)"/g)]
    .map(([, name]) => name ?? '')
    .reverse()
    .join('.');
}
