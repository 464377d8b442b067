/** The request of "Try it": prefilled with all fields of the output, and extended by new relationships. */
import { useEffect, useState } from 'react';
import { useAdminSchema } from '../../../shared/graphql/use-admin-schema.ts';
import type { Action, CustomTypes } from '../actions-api.ts';
import { isAsynchronous, type JoinedFields, type SampleRequest, sampleRequest } from '../sample.ts';
import { innerName } from '../sdl/action-types.ts';
import { joinedSource, selectedFields, withField, withoutField } from './joined-fields.ts';

export interface JoinedField {
  readonly name: string;
  readonly isSelected: boolean;
  /** Why the field cannot be selected by a click. */
  readonly reason: string | undefined;
  readonly toggle: () => void;
}

export interface TriedRequest extends SampleRequest {
  readonly change: (part: Partial<SampleRequest>) => void;
  /** The relationships of the output type. */
  readonly joinedFields: readonly JoinedField[];
  readonly joined: JoinedFields;
}

export function useRequest(action: Action, types: CustomTypes): TriedRequest {
  const { schema } = useAdminSchema();
  const [edited, setEdited] = useState<Partial<SampleRequest>>({});
  const sourceOf = (typeName: string, name: string) => schema.data && joinedSource(schema.data, typeName, name);
  const joined: JoinedFields = (typeName) => {
    const type = types.objects?.find(({ name }) => name === typeName);
    return (type?.relationships ?? []).flatMap(({ name }) => sourceOf(typeName, name) ?? []);
  };
  const sample = sampleRequest(action, types, joined);
  const { query, variables } = { ...sample, ...edited };
  const setQuery = (text: string): void => setEdited((before) => ({ ...before, query: text }));

  const output = isAsynchronous(action) ? undefined : innerName(action.definition.output_type);
  const type = types.objects?.find(({ name }) => name === output);
  const sources = (type?.relationships ?? []).map(({ name }) => ({ name, source: sourceOf(type?.name ?? '', name) }));
  const known = sources.flatMap(({ name, source }) => (source === undefined ? [] : [name])).join(' ');
  const [seen, setSeen] = useState(known);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a relationship is added to an edited text once, when it appears.
  useEffect(() => {
    setSeen(known);
    if (edited.query === undefined) return;
    const before = new Set(seen.split(' '));
    const added = sources.filter(({ name, source }) => source !== undefined && !before.has(name));
    const text = added.reduce((changed, { name, source = '' }) => {
      const isSelected = selectedFields(changed, action.name)?.has(name) ?? true;
      return isSelected ? changed : withField(changed, action.name, source);
    }, edited.query);
    if (text !== edited.query) setQuery(text);
  }, [known]);

  const selected = selectedFields(query, action.name);
  return {
    query,
    variables,
    change: (part) => setEdited((before) => ({ ...before, ...part })),
    joined,
    joinedFields: sources.map(({ name, source }) => {
      const isSelected = selected?.has(name) ?? false;
      return {
        name,
        isSelected,
        reason: reasonAgainst(selected === undefined, source === undefined && !isSelected, schema.isPending),
        toggle: () =>
          setQuery(isSelected ? withoutField(query, action.name, name) : withField(query, action.name, source ?? '')),
      };
    }),
  };
}

function reasonAgainst(isUnread: boolean, isMissing: boolean, isPending: boolean): string | undefined {
  if (isUnread) return 'The request does not call the action, or has a syntax error.';
  if (!isMissing) return undefined;
  return isPending ? 'The schema is being read.' : 'The field is not in the schema, or needs arguments.';
}
