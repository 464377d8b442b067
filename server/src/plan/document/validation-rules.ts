/** Validation rules with the messages of Hasura v2. */
import {
  type ArgumentNode,
  type ASTNode,
  type ASTVisitor,
  type FieldNode,
  type GraphQLArgument,
  GraphQLError,
  getNullableType,
  isInputType,
  isRequiredArgument,
  isScalarType,
  isTypeSubTypeOf,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type ValidationContext,
  type VariableNode,
  visit,
} from 'graphql';
import { variableUses } from './column-values.ts';
import { reportAt } from './validation-names.ts';
import { checkLiteral } from './validation-values.ts';
import { missingField, missingMember } from './variables.ts';

function report(context: ValidationContext, node: ASTNode, message: string, cause?: Error): void {
  context.reportError(new GraphQLError(message, { nodes: [node], originalError: cause ?? null }));
}

/** Named types exist. The rule of graphql-js would build all types of the schema. */
export function knownTypes(context: ValidationContext): ASTVisitor {
  return {
    NamedType(node) {
      if (context.getSchema().getType(node.name.value) != null) return;
      report(context, node, `no such type exists in the schema: '${node.name.value}'`);
    },
  };
}

/** Fields exist in their types. */
export function knownFields(context: ValidationContext): ASTVisitor {
  return {
    Field(node) {
      const type = context.getParentType();
      if (type == null || context.getFieldDef() != null) return;
      const missing = missingField(node.name.value, type.name);
      report(context, node, missing.message, missing);
    },
  };
}

/** Arguments of fields and directives exist, and required arguments are given. */
export function knownArguments(context: ValidationContext): ASTVisitor {
  const check = (
    node: ASTNode,
    name: string,
    known: readonly GraphQLArgument[],
    given: readonly ArgumentNode[] = [],
  ) => {
    for (const argument of given) {
      if (known.some((one) => one.name === argument.name.value)) continue;
      report(context, node, `'${name}' has no argument named '${argument.name.value}'`);
    }
    for (const argument of known) {
      if (!isRequiredArgument(argument) || given.some((one) => one.name.value === argument.name)) continue;
      reportAt(context, node, missingMember(argument.name).message, { below: `.args.${argument.name}` });
    }
  };
  return {
    Field(node: FieldNode) {
      const definition = context.getFieldDef();
      if (definition != null) check(node, node.name.value, definition.args, node.arguments);
    },
    Directive(node) {
      const definition = context.getSchema().getDirective(node.name.value);
      if (definition != null) check(node, node.name.value, definition.args, node.arguments);
    },
  };
}

/** Literals are valid for the types of their arguments and variables. */
export function fittingLiterals(context: ValidationContext): ASTVisitor {
  return {
    Argument(node) {
      const argument = context.getArgument();
      if (argument != null) checkLiteral(context, node.value, argument.type, argument);
      return false;
    },
    OperationDefinition(operation) {
      const schema = context.getSchema();
      const withDefault = operation.variableDefinitions?.filter(({ defaultValue }) => defaultValue !== undefined) ?? [];
      if (withDefault.length === 0) return;
      const fragments = context.getRecursivelyReferencedFragments(operation);
      const uses = variableUses(schema, operation, new Map(fragments.map((one) => [one.name.value, one])));
      for (const { type: node, defaultValue, variable } of withDefault) {
        const type = typeFromAST(schema, node);
        if (defaultValue === undefined || !isInputType(type)) continue;
        checkLiteral(context, defaultValue, type, undefined, uses.get(variable.name.value));
      }
    },
  };
}

/** Variables are used at positions of compatible types. */
export function fittingVariables(context: ValidationContext): ASTVisitor {
  const inScalars = new Set<VariableNode>();
  return {
    // Within a list that is the literal of a scalar, such as jsonb, a variable has no type.
    ListValue(node) {
      const type = context.getParentInputType();
      if (!isScalarType(getNullableType(type))) return;
      visit(node, { Variable: (variable) => void inScalars.add(variable) });
    },
    Document: {
      leave({ definitions }) {
        for (const one of definitions) {
          if (one.kind === Kind.OPERATION_DEFINITION) checkVariables(context, one, inScalars);
        }
      },
    },
  };
}

function checkVariables(
  context: ValidationContext,
  operation: OperationDefinitionNode,
  untyped: ReadonlySet<VariableNode>,
): void {
  const schema = context.getSchema();
  const declared = new Map(operation.variableDefinitions?.map((one) => [one.variable.name.value, one]));
  for (const { node, type: wanted, defaultValue } of context.getRecursiveVariableUsages(operation)) {
    const definition = declared.get(node.name.value);
    const type = definition && typeFromAST(schema, definition.type);
    if (definition === undefined || !isInputType(type) || wanted == null || untyped.has(node)) continue;
    const hasDefault =
      (definition.defaultValue !== undefined && definition.defaultValue.kind !== Kind.NULL) ||
      defaultValue !== undefined;
    // With a default value, a nullable variable may be used at a non-null position.
    if (isTypeSubTypeOf(schema, type, hasDefault ? getNullableType(wanted) : wanted)) continue;
    const name = node.name.value;
    report(context, node, `variable '${name}' is declared as '${type}', but used where '${wanted}' is expected`);
  }
}
