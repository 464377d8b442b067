/** Draft of a remote schema and its definition. Pure. */
import { RemoteSchema as RemoteSchemaEntry } from '@joinery/metadata/schema/remote-schemas';
import { jsonProblem } from '../../api/exact-json.ts';
import { type HeaderDraft, headersOf, sentHeaders } from '../../shared/headers/header-draft.ts';
import { byMember, numberIn, schemaErrors } from '../../ui/form/beside-text/schema-errors.ts';
import type { Pair } from '../../ui/form/pair-fields.tsx';
import { sentence } from '../../ui/format.ts';
import type { RemoteDefinition, RemoteSchema } from './remotes-api.ts';

export interface RemoteDraft {
  readonly name: string;
  readonly from: 'url' | 'environment';
  /** The URL, or the name of the environment variable. */
  readonly address: string;
  readonly headers: readonly HeaderDraft[];
  readonly forwards: boolean;
  readonly timeout: string;
  readonly comment: string;
  readonly namespace: string;
  readonly typePrefix: string;
  readonly typeSuffix: string;
  /** Type names and their replacements. */
  readonly typeNames: readonly Pair[];
  /** JSON list of objects with `parent_type`, `prefix`, `suffix` and `mapping`. Empty for none. */
  readonly fieldNames: string;
}

export const emptyRemoteDraft: RemoteDraft = {
  name: '',
  from: 'url',
  address: '',
  headers: [],
  forwards: false,
  timeout: '60',
  comment: '',
  namespace: '',
  typePrefix: '',
  typeSuffix: '',
  typeNames: [],
  fieldNames: '',
};

export function remoteDraftOf({ name, definition, comment }: RemoteSchema): RemoteDraft {
  const { customization } = definition;
  const types = customization?.type_names;
  const fields = customization?.field_names;
  return {
    name,
    from: definition.url === undefined ? 'environment' : 'url',
    address: definition.url ?? definition.url_from_env ?? '',
    headers: headersOf(definition.headers ?? []),
    forwards: definition.forward_client_headers ?? false,
    timeout: String(definition.timeout_seconds ?? 60),
    comment: comment ?? '',
    namespace: customization?.root_fields_namespace ?? '',
    typePrefix: types?.prefix ?? '',
    typeSuffix: types?.suffix ?? '',
    typeNames: Object.entries(types?.mapping ?? {}).map(([from, to], key) => ({ key, name: from, text: to })),
    fieldNames: fields === undefined || fields === null ? '' : JSON.stringify(fields, null, 2),
  };
}

const fieldOf = byMember({
  name: 'name',
  'definition.url': 'address',
  'definition.url_from_env': 'address',
  'definition.timeout_seconds': 'timeout',
  'definition.customization.root_fields_namespace': 'namespace',
  'definition.customization.type_names.prefix': 'typePrefix',
  'definition.customization.type_names.suffix': 'typeSuffix',
  'definition.customization.field_names': 'fieldNames',
});

const messages = { timeout: 'Must be a whole number of seconds.' };

/** Returns the messages by field of the draft. */
export function remoteSchemaErrors(draft: RemoteDraft): Readonly<Record<string, string>> {
  const problem = draft.fieldNames.trim() === '' ? undefined : jsonProblem(draft.fieldNames);
  const sent = remoteFrom(problem === undefined ? draft : { ...draft, fieldNames: '' });
  const errors = schemaErrors(RemoteSchemaEntry, sent, { fieldOf, messages });
  return problem === undefined ? errors : { ...errors, fieldNames: sentence(problem) };
}

export function renames(draft: RemoteDraft): boolean {
  const { namespace, typePrefix, typeSuffix, typeNames, fieldNames } = draft;
  return [namespace, typePrefix, typeSuffix, fieldNames].some((text) => text.trim() !== '') || typeNames.length > 0;
}

export interface SavedRemote {
  readonly name: string;
  readonly definition: object;
  readonly comment: string | null;
}

/** Returns the remote schema. Members of the definition `before` without an input are preserved. */
export function remoteFrom(draft: RemoteDraft, before?: RemoteDefinition): SavedRemote {
  const definition = remoteDefinitionFrom(draft, before);
  return { name: draft.name.trim(), definition, comment: draft.comment.trim() || null };
}

/** Returns the definition. Members of `before` without an input are preserved. */
export function remoteDefinitionFrom(draft: RemoteDraft, before?: RemoteDefinition): object {
  const {
    url: _url,
    url_from_env: _variable,
    headers: _headers,
    customization: _customization,
    ...rest
  }: RemoteDefinition = before ?? {};
  const headers = sentHeaders(draft.headers);
  return {
    ...rest,
    ...(draft.from === 'url' ? { url: draft.address.trim() } : { url_from_env: draft.address.trim() }),
    ...(headers.length > 0 && { headers }),
    forward_client_headers: draft.forwards,
    timeout_seconds: numberIn(draft.timeout),
    ...(renames(draft) && { customization: customizationOf(draft) }),
  };
}

function customizationOf({ namespace, typePrefix, typeSuffix, typeNames, fieldNames }: RemoteDraft): object {
  const mapping = Object.fromEntries(
    typeNames.flatMap(({ name, text }) => (name.trim() === '' ? [] : [[name.trim(), text.trim()]])),
  );
  const types = {
    ...(typePrefix.trim() !== '' && { prefix: typePrefix.trim() }),
    ...(typeSuffix.trim() !== '' && { suffix: typeSuffix.trim() }),
    ...(Object.keys(mapping).length > 0 && { mapping }),
  };
  return {
    ...(namespace.trim() !== '' && { root_fields_namespace: namespace.trim() }),
    ...(Object.keys(types).length > 0 && { type_names: types }),
    ...(fieldNames.trim() !== '' && { field_names: JSON.parse(fieldNames) as unknown }),
  };
}
