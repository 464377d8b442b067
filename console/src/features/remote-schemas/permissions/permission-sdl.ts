/** Validates the permission SDL of a role against the remote schema. Pure. */
import {
  type ASTNode,
  type DefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  isSpecifiedScalarType,
  Kind,
  type NamedTypeNode,
  parse,
  print,
  type TypeNode,
} from 'graphql';
import type { Mark } from '../../../ui/editor/editor-props.ts';
import { syntaxMark } from '../../../ui/editor/syntax-mark.ts';

/** Returns the errors with their positions. */
export function checkPermission(text: string, schema: GraphQLSchema): readonly Mark[] {
  if (text.replaceAll(/#.*/g, '').trim() === '') return [];
  const marks: Mark[] = [];
  const problem = (node: ASTNode, message: string): void => {
    marks.push({ from: node.loc?.start ?? 0, to: node.loc?.end ?? 0, message, severity: 'error' });
  };
  let definitions: readonly DefinitionNode[];
  try {
    definitions = parse(text).definitions;
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    return [syntaxMark(text, error)];
  }
  const own = new Set(definitions.flatMap((one) => ('name' in one && one.name ? [one.name.value] : [])));
  for (const definition of definitions) checkType(definition, schema, own, problem);
  const query = schema.getQueryType();
  if (query && !own.has(query.name)) {
    marks.push({ from: 0, to: text.length, message: `The query root ${query.name} is missing`, severity: 'error' });
  }
  return marks;
}

type Problem = (node: ASTNode, message: string) => void;

function checkType(node: DefinitionNode, schema: GraphQLSchema, own: ReadonlySet<string>, problem: Problem): void {
  if (!('name' in node) || node.name === undefined || node.kind === Kind.DIRECTIVE_DEFINITION) return;
  const type = schema.getType(node.name.value);
  if (type === undefined) {
    problem(node.name, `The remote schema has no type ${node.name.value}`);
    return;
  }
  const uses = (used: TypeNode): void => {
    const { name } = innermost(used);
    const upstream = schema.getType(name.value);
    if (upstream === undefined) problem(name, `The remote schema has no type ${name.value}`);
    else if (!isSpecifiedScalarType(upstream) && !own.has(name.value)) {
      problem(name, `${name.value} is used, and must be written as well`);
    }
  };
  if ('fields' in node && 'getFields' in type) {
    const offered = type.getFields();
    for (const field of node.fields ?? []) {
      const known = offered[field.name.value];
      if (known === undefined) {
        problem(field.name, `${type.name} has no field ${field.name.value}`);
        continue;
      }
      if (print(field.type) === String(known.type)) uses(field.type);
      else problem(field.type, `${type.name}.${known.name} is ${known.type} in the remote schema`);
      for (const argument of ('arguments' in field && field.arguments) || []) {
        const taken = 'args' in known ? known.args.find((one) => one.name === argument.name.value) : undefined;
        const where = `${type.name}.${known.name}`;
        if (taken === undefined) problem(argument.name, `${where} takes no argument ${argument.name.value}`);
        else if (print(argument.type) === String(taken.type)) uses(argument.type);
        else problem(argument.type, `${where}(${taken.name}) is ${taken.type} in the remote schema`);
      }
    }
  }
  if (node.kind === Kind.ENUM_TYPE_DEFINITION && 'getValue' in type) {
    for (const value of node.values ?? []) {
      if (!type.getValue(value.name.value)) problem(value.name, `${type.name} has no value ${value.name.value}`);
    }
  }
  if (node.kind === Kind.UNION_TYPE_DEFINITION) for (const member of node.types ?? []) uses(member);
}

function innermost(type: TypeNode): NamedTypeNode {
  return type.kind === Kind.NAMED_TYPE ? type : innermost(type.type);
}
