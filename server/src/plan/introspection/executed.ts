/** Introspection by the executor of graphql-js: what the writer is compared with, and what runs where the writer fails. */
import {
  type DocumentNode,
  executeSync,
  type FieldNode,
  type GraphQLSchema,
  Kind,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { type JsonObject, printJson } from '../../base/json-value.ts';

/** The response key of the name by which members are sorted. It is no valid GraphQL name. */
const SORT_KEY = '@name';

/** Fields that are lists of named members, which are sorted by name, as in Hasura v2. */
export const namedLists: ReadonlySet<string> = new Set([
  'types',
  'directives',
  'fields',
  'inputFields',
  'enumValues',
  'interfaces',
  'possibleTypes',
  'args',
]);

/** Returns the result of `node`, the root field of `document`, as JSON text. Throws the first GraphQLError. */
export function executeIntrospection(
  schema: GraphQLSchema,
  node: FieldNode,
  document: (root: FieldNode) => DocumentNode,
  variableValues: Readonly<Record<string, unknown>>,
): string {
  const { selectionSet } = node;
  const sortable = { ...node, ...(selectionSet !== undefined && { selectionSet: withSortKeys(selectionSet) }) };
  const { data, errors } = executeSync({ schema, document: document(sortable), variableValues });
  const [error] = errors ?? [];
  if (error !== undefined) throw error;
  return printJson(sorted(data?.[node.name.value]));
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
        if (node.selectionSet === undefined || !namedLists.has(node.name.value)) return undefined;
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
