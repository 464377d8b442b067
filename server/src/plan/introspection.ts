/** `__schema` and `__type`: introspection, executed during planning. */
import {
  type DocumentNode,
  executeSync,
  type FieldNode,
  Kind,
  OperationTypeNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { ServiceError } from '../base/errors.ts';
import { type JsonObject, printJson, RawJson } from '../base/json-value.ts';
import type { PlanContext, SelectedField } from './context/context.ts';
import { VariableReference } from './document/arguments.ts';

/** The response key of the name by which members are sorted. It is no valid GraphQL name. */
const SORT_KEY = '@name';

/** Fields that are lists of named members. */
const named: ReadonlySet<string> = new Set([
  'types',
  'directives',
  'fields',
  'inputFields',
  'enumValues',
  'interfaces',
  'possibleTypes',
  'args',
]);

/** Returns the result of the field. Named members are sorted by name, as in Hasura v2. */
export function introspect(context: PlanContext, field: SelectedField): RawJson {
  const { selection, variables } = context.forward(field.selections, field.arguments);
  const node: FieldNode = {
    kind: Kind.FIELD,
    name: { kind: Kind.NAME, value: field.name },
    arguments: field.arguments,
    ...(selection !== undefined && { selectionSet: withSortKeys(selection) }),
  };
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [
      {
        kind: Kind.OPERATION_DEFINITION,
        operation: OperationTypeNode.QUERY,
        variableDefinitions: variables,
        selectionSet: { kind: Kind.SELECTION_SET, selections: [node] },
      },
    ],
  };
  const values = variables.map(({ variable: { name } }) => {
    return [name.value, context.settle(new VariableReference(name.value))] as const;
  });
  const variableValues = Object.fromEntries(values.filter(([, value]) => value !== undefined));
  const { data, errors } = executeSync({ schema: context.schema, document, variableValues });
  const [error] = errors ?? [];
  if (error !== undefined) throw new ServiceError('validation-failed', error.message, { path: field.path });
  return new RawJson(printJson(sorted(data?.[field.name])));
}

function withSortKeys(selection: SelectionSetNode): SelectionSetNode {
  const sortKey: FieldNode = {
    kind: Kind.FIELD,
    alias: { kind: Kind.NAME, value: SORT_KEY },
    name: { kind: Kind.NAME, value: 'name' },
  };
  return visit(selection, {
    Field: {
      leave(node) {
        if (node.selectionSet === undefined || !named.has(node.name.value)) return undefined;
        const selections = [...node.selectionSet.selections, sortKey];
        return { ...node, selectionSet: { ...node.selectionSet, selections } };
      },
    },
  });
}

/** Sorts lists by the sort keys of their items, and removes the sort keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return (value as JsonObject[]).toSorted(byName).map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== SORT_KEY);
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

function byName(one: JsonObject, other: JsonObject): number {
  const [first, second] = [String(one?.[SORT_KEY]), String(other?.[SORT_KEY])];
  return first < second ? -1 : first > second ? 1 : 0;
}
