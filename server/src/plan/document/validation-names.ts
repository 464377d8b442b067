/** Validation rules of selections, fragments, variables and directives, with the messages of Hasura v2. */
import {
  type ASTNode,
  type ASTVisitor,
  DirectiveLocation,
  type DirectiveNode,
  type FragmentDefinitionNode,
  GraphQLError,
  getNamedType,
  isLeafType,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';
import { type ErrorCode, ServiceError } from '../../base/errors.ts';

/** Reports an error at the path of `node` with `below` appended. */
export function reportAt(
  context: ValidationContext,
  node: ASTNode,
  message: string,
  { below = '', code = 'validation-failed' }: { readonly below?: string; readonly code?: ErrorCode } = {},
): void {
  const originalError = new ServiceError(code, message, { path: `$${below}` });
  context.reportError(new GraphQLError(message, { nodes: [node], originalError }));
}

/** Objects have a selection, and scalars have none. */
export function fittingSelections(context: ValidationContext): ASTVisitor {
  return {
    Field(node) {
      const type = context.getType();
      if (type == null) return;
      const isLeaf = isLeafType(getNamedType(type));
      if (isLeaf && node.selectionSet !== undefined) {
        reportAt(context, node, 'unexpected subselection set for non-object field');
      } else if (!isLeaf && node.selectionSet === undefined) {
        const message = `missing selection set for '${getNamedType(type).name}'`;
        reportAt(context, node, message, { below: '.selectionSet' });
      }
    },
  };
}

/** Fragments that are spread exist, and names of fragments are unique. */
export function knownFragments(context: ValidationContext): ASTVisitor {
  const names = new Set<string>();
  return {
    FragmentDefinition({ name: { value: name } }) {
      if (names.has(name)) rejectSecond(context, `fragment "${name}"`);
      names.add(name);
    },
    FragmentSpread(node) {
      if (context.getFragment(node.name.value) != null) return;
      reportAt(context, node, `reference to undefined fragment "${node.name.value}"`, { below: '.selectionSet' });
    },
  };
}

/** Fragments do not contain themselves. As in Hasura v2, the path contains the names of the fragments. */
export function acyclicFragments(context: ValidationContext): ASTVisitor {
  const passed = new Set<FragmentDefinitionNode>();
  const walk = ({ selections }: SelectionSetNode, path: string, within: readonly FragmentDefinitionNode[]): void => {
    for (const one of selections) {
      if (one.kind === Kind.FIELD) {
        if (one.selectionSet !== undefined) walk(one.selectionSet, `${path}.selectionSet.${one.name.value}`, within);
      } else if (one.kind === Kind.INLINE_FRAGMENT) walk(one.selectionSet, path, within);
      else enter(context.getFragment(one.name.value) ?? undefined, `${path}.selectionSet`, within);
    }
  };
  const enter = (
    fragment: FragmentDefinitionNode | undefined,
    path: string,
    within: readonly FragmentDefinitionNode[],
  ): void => {
    if (fragment === undefined) return;
    const start = within.indexOf(fragment);
    if (start >= 0) {
      const names = within.slice(start).map(({ name }) => name.value);
      const list = names.length === 1 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
      reportAt(context, context.getDocument(), `the fragment definition(s) ${list} form a cycle`, {
        below: path.slice(1),
      });
    } else if (!passed.has(fragment)) {
      passed.add(fragment);
      walk(fragment.selectionSet, `${path}.${fragment.name.value}`, [...within, fragment]);
    }
  };
  return {
    Document({ definitions }) {
      for (const one of definitions) if (one.kind === Kind.OPERATION_DEFINITION) walk(one.selectionSet, '$', []);
      for (const one of definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) enter(one, '$.selectionSet', []);
    },
  };
}

/** Variables that are used are declared, once. */
export function declaredVariables(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition: {
      leave(operation) {
        const declared = new Set<string>();
        for (const { variable } of operation.variableDefinitions ?? []) {
          if (declared.has(variable.name.value)) rejectSecond(context, `variable "${variable.name.value}"`);
          declared.add(variable.name.value);
        }
        for (const { node } of context.getRecursiveVariableUsages(operation)) {
          if (!declared.has(node.name.value)) reportAt(context, node, `unbound variable "${node.name.value}"`);
        }
      },
    },
  };
}

function rejectSecond(context: ValidationContext, what: string): void {
  reportAt(context, context.getDocument(), `multiple definitions for ${what}`, { code: 'parse-failed' });
}

const placeNames: ReadonlyMap<string, string> = new Map([
  [DirectiveLocation.QUERY, 'a query'],
  [DirectiveLocation.MUTATION, 'a mutation'],
  [DirectiveLocation.SUBSCRIPTION, 'a subscription'],
  [DirectiveLocation.FIELD, 'a field'],
  [DirectiveLocation.FRAGMENT_DEFINITION, 'a fragment definition'],
  [DirectiveLocation.FRAGMENT_SPREAD, 'a fragment spread'],
  [DirectiveLocation.INLINE_FRAGMENT, 'an inline fragment'],
  [DirectiveLocation.VARIABLE_DEFINITION, 'a variable definition'],
]);

const operationPlaces = {
  query: DirectiveLocation.QUERY,
  mutation: DirectiveLocation.MUTATION,
  subscription: DirectiveLocation.SUBSCRIPTION,
} as const;

/** Directives exist, are at a place that they permit, and are not repeated. */
export function knownDirectives(context: ValidationContext): ASTVisitor {
  const check = (node: ASTNode, place: DirectiveLocation, directives: readonly DirectiveNode[] = []) => {
    const names = directives.map(({ name }) => name.value);
    for (const name of names) {
      const definition = context.getSchema().getDirective(name);
      if (definition == null) reportAt(context, node, `directive '${name}' is not defined in the schema`);
      else if (!definition.locations.includes(place)) {
        reportAt(context, node, `directive '${name}' is not allowed on ${placeNames.get(place)}`);
      }
    }
    const repeated = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
    if (repeated.length === 0) return;
    const list = repeated.map((name) => `'${name}'`).join(', ');
    reportAt(context, node, `the following directives are used more than once: [${list}]`);
  };
  return {
    OperationDefinition: (node) => {
      check(node, operationPlaces[node.operation], node.directives);
    },
    VariableDefinition: (node) => check(node, DirectiveLocation.VARIABLE_DEFINITION, node.directives),
    Field: (node) => check(node, DirectiveLocation.FIELD, node.directives),
    FragmentSpread: (node) => check(node, DirectiveLocation.FRAGMENT_SPREAD, node.directives),
    InlineFragment: (node) => check(node, DirectiveLocation.INLINE_FRAGMENT, node.directives),
    FragmentDefinition: (node) => check(node, DirectiveLocation.FRAGMENT_DEFINITION, node.directives),
  };
}
