/** Which types an action answers with, and how signatures and relationships are written. Pure. */
import type { RemoteRelationshipDefinition } from '../../../shared/remote-relationships/definition-text.ts';
import type { Action, CustomTypes, ObjectType, Relationship, TableRelationship } from '../actions-api.ts';

/** `Int` of `[Int!]!`. */
export function innerName(type: string): string {
  return type.replace(/[[\]!\s]/g, '');
}

/** The names that a custom type refers to: those of its fields, members and interfaces, and of what implements it. */
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

/** The object types that an action may answer with, at any depth, that of the answer itself first. */
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

/** `place(name: String!): Placed` */
export function signatureOf({ name, definition }: Action): string {
  const given = (definition.arguments ?? []).map((one) => `${one.name}: ${one.type}`).join(', ');
  return `${name}${given === '' ? '' : `(${given})`}: ${definition.output_type}`;
}

export function isTableRelationship(relationship: Relationship): relationship is TableRelationship {
  return 'remote_table' in relationship;
}

/** The form that relationships of tables have, for either way of writing it. */
export function definitionOf(relationship: Relationship): RemoteRelationshipDefinition {
  if (!isTableRelationship(relationship)) return relationship.definition;
  const { source = 'default', remote_table: table, type, field_mapping } = relationship;
  return { to_source: { source, table, relationship_type: type, field_mapping } };
}
