/** The inputs of an operation that take column values. There a string is parsed by PostgreSQL, whatever the type. */
import {
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { canTakeDigits, columnListsOf } from '../../schema/binding.ts';

/**
 * The use of an input: 0 for a column value (for an array column, the list or its text form), 1 for a list of column
 * values, `digits` for an Int that may be a string of digits, undefined for any other value. `mixed` is a variable of a list type with more than one use, for which a string
 * would be ambiguous.
 */
export type ColumnUse = 0 | 1 | undefined | 'digits' | 'mixed';

/** Returns the use of the items of a list. */
export function itemUse(use: ColumnUse): ColumnUse {
  return use === 0 || use === 1 ? 0 : undefined;
}

/** Returns the use of every variable that a valid operation uses, also in the fragments that it spreads. */
export function variableUses(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): ReadonlyMap<string, ColumnUse> {
  const found = new Map<string, Set<ColumnUse>>();
  const reached = new Set<string>();
  const typeInfo = new TypeInfo(schema);
  /** The use of the innermost argument or member, followed by those of the lists within it. */
  const uses: ColumnUse[] = [];
  const visitor = visitWithTypeInfo(typeInfo, {
    VariableDefinition: () => false,
    Argument: {
      enter: () => {
        const argument = typeInfo.getArgument();
        uses.push(argument == null ? undefined : canTakeDigits(argument) ? 'digits' : columnListsOf(argument));
      },
      leave: () => void uses.pop(),
    },
    ObjectField: {
      enter: (node) => {
        const parent = getNamedType(typeInfo.getParentInputType() ?? undefined);
        const field = isInputObjectType(parent) ? parent.getFields()[node.name.value] : undefined;
        uses.push(field && columnListsOf(field));
      },
      leave: () => void uses.pop(),
    },
    ListValue: { enter: () => void uses.push(itemUse(uses.at(-1))), leave: () => void uses.pop() },
    Variable: (node) => {
      const known = found.get(node.name.value) ?? new Set();
      found.set(node.name.value, known.add(uses.at(-1)));
    },
    FragmentSpread: (node) => void reached.add(node.name.value),
  });
  visit(operation, visitor);
  // The set grows during the iteration.
  for (const name of reached) {
    const fragment = fragments.get(name);
    if (fragment !== undefined) visit(fragment, visitor);
  }
  const declared = (operation.variableDefinitions ?? []).flatMap(({ variable, type }) => {
    const { value: name } = variable.name;
    const all = found.get(name);
    if (all === undefined) return [];
    const isList =
      type.kind === Kind.LIST_TYPE || (type.kind === Kind.NON_NULL_TYPE && type.type.kind === Kind.LIST_TYPE);
    return [[name, combined([...all], isList)] as const];
  });
  return new Map(declared);
}

function combined(uses: readonly ColumnUse[], isList: boolean): ColumnUse {
  if (uses.length === 1) return uses[0];
  return isList && uses.includes(0) ? 'mixed' : undefined;
}
