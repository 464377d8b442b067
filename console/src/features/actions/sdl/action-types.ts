/** Output types of an action; formats of signatures and relationships. Pure. */
import type { RemoteRelationshipDefinition } from '../../../shared/remote-relationships/definition-text.ts';
import type { Action, CustomTypes, ObjectType, Relationship, TableRelationship } from '../actions-api.ts';

/** Returns `Int` for `[Int!]!`. */
export function innerName(type: string): string {
  return type.replace(/[[\]!\s]/g, '');
}

/** Returns the types that a custom type refers to: in fields, members and interfaces, and its implementations. */
export function namesIn(name: string, types: CustomTypes): readonly string[] {
  const object = types.objects?.find((one) => one.name === name);
  const abstract = types.interfaces?.find((one) => one.name === name);
  const input = types.input_objects?.find((one) => one.name === name);
  const union = types.unions?.find((one) => one.name === name);
  const fields = (object ?? abstract ?? input)?.fields ?? [];
  return [
    ...(object?.implements ?? []),
    ...(abstract === undefined
      ? []
      : (types.objects ?? []).filter((one) => one.implements?.includes(name) === true)
    ).map((one) => one.name),
    ...(union?.types ?? []),
    ...fields.map(({ type }) => innerName(type)),
  ];
}

/** Returns the object types in the output of an action at any depth, the output type first. */
export function outputTypes(action: Action, types: CustomTypes): readonly ObjectType[] {
  const objects = new Map((types.objects ?? []).map((one) => [one.name, one]));
  const seen = new Set<string>();
  const found: ObjectType[] = [];
  const waiting = [innerName(action.definition.output_type)];
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const object = objects.get(name);
    if (object !== undefined) found.push(object);
    waiting.push(...namesIn(name, types));
  }
  return found;
}

/** Formats `place(name: String!): Placed`. */
export function signatureOf({ name, definition }: Action): string {
  const given = (definition.arguments ?? []).map((one) => `${one.name}: ${one.type}`).join(', ');
  return `${name}${given === '' ? '' : `(${given})`}: ${definition.output_type}`;
}

export function isTableRelationship(relationship: Relationship): relationship is TableRelationship {
  return 'remote_table' in relationship;
}

/** Returns the definition in the format of table relationships, for either format. */
export function definitionOf(relationship: Relationship): RemoteRelationshipDefinition {
  if (!isTableRelationship(relationship)) return relationship.definition;
  const { source = 'default', remote_table: table, type, field_mapping } = relationship;
  return { to_source: { source, table, relationship_type: type, field_mapping } };
}
