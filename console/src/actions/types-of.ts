/** Which types an action answers with, and how signatures are written. Pure. */
import type { Action, CustomTypes, ObjectType, Relationship, TableRelationship } from './actions-api.ts';

/** `Int` of `[Int!]!`. */
export function innerName(type: string): string {
  return type.replace(/[[\]!\s]/g, '');
}

/** The object types that an action may answer with, at any depth, that of the answer itself first. */
export function outputTypes(action: Action, types: CustomTypes): readonly ObjectType[] {
  const objects = new Map((types.objects ?? []).map((one) => [one.name, one]));
  const found = new Map<string, ObjectType>();
  const waiting = [innerName(action.definition.output_type)];
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const object = objects.get(name);
    if (object === undefined || found.has(name)) continue;
    found.set(name, object);
    waiting.push(...object.fields.map(({ type }) => innerName(type)));
  }
  return [...found.values()];
}

/** `place(name: String!): Placed` */
export function signatureOf({ name, definition }: Action): string {
  const given = (definition.arguments ?? []).map((one) => `${one.name}: ${one.type}`).join(', ');
  return `${name}${given === '' ? '' : `(${given})`}: ${definition.output_type}`;
}

export function isTableRelationship(relationship: Relationship): relationship is TableRelationship {
  return 'remote_table' in relationship;
}

/** `customerId → id of public.customer` */
export function describeRelationship(relationship: Relationship): string {
  if (!isTableRelationship(relationship)) return JSON.stringify(relationship.definition);
  const { remote_table, field_mapping, source } = relationship;
  const pairs = Object.entries(field_mapping).map(([field, column]) => `${field} → ${column}`);
  const where = source === undefined || source === 'default' ? '' : `${source}: `;
  return `${where}${remote_table.schema}.${remote_table.name}, ${pairs.join(', ')}`;
}
