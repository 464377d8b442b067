/** The way of a relationship into a remote schema: fields from its query root down. */
import type { RemoteField } from '@joinery/metadata/schema/relationships';
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql';
import { type ArgumentScope, choice, readArguments } from '../remote/arguments.ts';
import type { JoinKey, RemoteStep } from '../types/table.ts';

/** The fields that `first` writes. Stops at the first that is not there. */
export function readPath<Key extends JoinKey>(
  upstream: GraphQLSchema,
  first: RemoteField,
  scope: ArgumentScope<Key>,
): readonly RemoteStep[] {
  const steps: RemoteStep[] = [];
  let parent: GraphQLNamedType | null | undefined = upstream.getQueryType();
  let level: RemoteField | undefined = first;
  while (level !== undefined) {
    const [entry]: [string, RemoteField[string]][] = Object.entries(level);
    if (entry === undefined) break;
    const [name, { arguments: written, field: next }]: [string, RemoteField[string]] = entry;
    const fields: Readonly<Record<string, GraphQLField<unknown, unknown>>> =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields() : {};
    const field = fields[name];
    if (field === undefined) {
      scope.problems.push(
        `type ${parent?.name} of the remote schema has no field "${name}"${choice(Object.keys(fields))}`,
      );
      break;
    }
    if (next !== undefined) checkInner(field, scope.problems);
    const where = `the remote field "${name}"`;
    steps.push({ field: name, arguments: readArguments(written, field.args, where, next === undefined, scope) });
    parent = getNamedType(field.type);
    level = next;
  }
  return steps;
}

/** One key leads to one value, so the way to it cannot fork. */
function checkInner(field: GraphQLField<unknown, unknown>, problems: string[]): void {
  if (isListType(getNullableType(field.type))) {
    problems.push(`the remote field "${field.name}" is a list, and only the last field may be one`);
  } else if (isLeafType(getNamedType(field.type))) {
    problems.push(`the remote field "${field.name}" has type ${field.type}, which has no fields`);
  }
}
