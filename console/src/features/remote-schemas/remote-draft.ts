/** Draft of a remote schema and its definition. Pure. */

import { jsonProblem } from '../../api/exact-json.ts';
import { type HeaderDraft, headersOf, sentHeaders } from '../../shared/headers/header-draft.ts';
import type { Pair } from '../../ui/form/pair-fields.tsx';
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

export type RemoteField = 'timeout' | 'fieldNames';

export function remoteSchemaProblems(draft: RemoteDraft): ReadonlyMap<RemoteField, string> {
  const problems = new Map<RemoteField, string>();
  if (!/^[1-9]\d*$/.test(draft.timeout.trim())) problems.set('timeout', 'Must be a whole number of seconds.');
  const problem = draft.fieldNames.trim() === '' ? undefined : jsonProblem(draft.fieldNames);
  if (problem !== undefined) problems.set('fieldNames', problem);
  return problems;
}

export function renames(draft: RemoteDraft): boolean {
  const { namespace, typePrefix, typeSuffix, typeNames, fieldNames } = draft;
  return [namespace, typePrefix, typeSuffix, fieldNames].some((text) => text.trim() !== '') || typeNames.length > 0;
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
    timeout_seconds: Number(draft.timeout),
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
