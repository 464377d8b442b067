/** Suggests relationships to query actions, functions and fields of remote schemas whose arguments keys supply by name. Pure. */
import type { SourceFunction } from '@joinery/metadata/api/sources/catalog';
import { type GraphQLField, type GraphQLSchema, getNamedType } from 'graphql';
import { type KeyOwner, suggestedArguments, suppliesAll } from '../remote-fields/argument-values.ts';
import { type DefinitionDraft, emptyDefinition } from './definition-draft.ts';
import { type Mapped, proposedArguments } from './mapping-proposal.ts';

export interface RemoteSuggestion {
  /** Name of the relationship: that of the action, function or field. */
  readonly name: string;
  readonly definition: DefinitionDraft;
}

/** Returns the fields of the query root whose required arguments keys certainly supply, and at least one argument. */
export function suggestedFields(
  owner: KeyOwner,
  remoteSchema: string,
  schema: GraphQLSchema,
): readonly RemoteSuggestion[] {
  return suppliedFields(owner, Object.values(schema.getQueryType()?.getFields() ?? {})).map((field) => ({
    name: field.name,
    definition: {
      ...emptyDefinition,
      kind: 'remote schema',
      remoteSchema,
      path: [{ field: field.name, arguments: suggestedArguments(field.args, owner, subjectsOf(field)) }],
    },
  }));
}

/** `schema` is that of the service, `actions` are the names of query actions. */
export function suggestedActions(
  owner: KeyOwner,
  actions: readonly string[],
  schema: GraphQLSchema,
): readonly RemoteSuggestion[] {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(({ name }) => actions.includes(name));
  return suppliedFields(owner, fields).map((field) => ({
    name: field.name,
    definition: {
      ...emptyDefinition,
      kind: 'action',
      action: field.name,
      arguments: suggestedArguments(field.args, owner, subjectsOf(field)),
    },
  }));
}

type Field = GraphQLField<unknown, unknown>;

function suppliedFields(owner: KeyOwner, fields: readonly Field[]): readonly Field[] {
  return fields.filter((field) => suppliesAll(field.args, owner, subjectsOf(field)));
}

function subjectsOf({ name, type }: Field): readonly string[] {
  return [name, getNamedType(type).name];
}

/** Returns the tracked functions whose arguments without a default keys supply. */
export function suggestedFunctions(
  owner: KeyOwner,
  source: string,
  functions: readonly SourceFunction[],
): readonly RemoteSuggestion[] {
  return functions.flatMap(
    ({ schema, name, tracked, volatility, returns_set, arguments: given }): RemoteSuggestion[] => {
      const mapped: Mapped[] = given.map((one) => ({ name: one.name, type: one.type, isRequired: !one.has_default }));
      const proposal = proposedArguments(owner, name, mapped, returns_set ? 'array' : 'object');
      const isSupplied = mapped.every((one) => !one.isRequired || proposal?.rows.some(({ to }) => to === one.name));
      if (!tracked || volatility === 'volatile' || proposal === undefined || !isSupplied) return [];
      return [
        { name, definition: { ...emptyDefinition, kind: 'function', source, schema, target: name, ...proposal } },
      ];
    },
  );
}

/** Whether two definitions have the same target. */
export function hasSameTarget(one: DefinitionDraft, other: DefinitionDraft): boolean {
  const targetOf = ({ kind, source, schema, target, remoteSchema, path, action }: DefinitionDraft) =>
    JSON.stringify([kind, source, schema, target, remoteSchema, path.map(({ field }) => field), action]);
  return targetOf(one) === targetOf(other);
}
