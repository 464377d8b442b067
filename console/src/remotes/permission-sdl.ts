/** What a role may see of a remote schema, as SDL: written from chosen root fields, and checked against what is offered. Pure. */
import {
  type ASTNode,
  type DefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
  Kind,
  type NamedTypeNode,
  parse,
  print,
  printType,
  type TypeNode,
} from 'graphql';
import type { Mark } from '../editor/editor-props.ts';
import { withoutDescriptions } from '../editor/sdl-text.ts';
import { syntaxMark } from '../editor/syntax-mark.ts';
import { membersOf } from './schema-parts.ts';

export interface RootField {
  /** `Query.parcels` */
  readonly path: string;
  readonly type: string;
}

export function rootFields(schema: GraphQLSchema): readonly RootField[] {
  return [schema.getQueryType(), schema.getMutationType()].flatMap((root) =>
    Object.values(root?.getFields() ?? {}).map((field) => ({
      path: `${root?.name}.${field.name}`,
      type: String(field.type),
    })),
  );
}

/** The root fields that the SDL has; none where it cannot be read. */
export function chosenRoots(text: string, schema: GraphQLSchema): ReadonlySet<string> {
  const roots = new Set([schema.getQueryType()?.name, schema.getMutationType()?.name]);
  try {
    return new Set(
      parse(text).definitions.flatMap((one) => {
        if (one.kind !== Kind.OBJECT_TYPE_DEFINITION || !roots.has(one.name.value)) return [];
        return (one.fields ?? []).map((field) => `${one.name.value}.${field.name.value}`);
      }),
    );
  } catch {
    return new Set();
  }
}

/** SDL with these root fields and all types that they lead to, without descriptions. */
export function sdlFor(schema: GraphQLSchema, roots: ReadonlySet<string>): string {
  const printed: string[] = [];
  const waiting: GraphQLNamedType[] = [];
  for (const root of [schema.getQueryType(), schema.getMutationType()]) {
    const fields = Object.values(root?.getFields() ?? {}).filter(({ name }) => roots.has(`${root?.name}.${name}`));
    if (root === undefined || root === null || fields.length === 0) continue;
    const lines = fields.map((field) => {
      const given = field.args.map((one) => `${one.name}: ${one.type}`).join(', ');
      waiting.push(getNamedType(field.type), ...field.args.map((one) => getNamedType(one.type)));
      return `  ${field.name}${given === '' ? '' : `(${given})`}: ${field.type}`;
    });
    printed.push(`type ${root.name} {\n${lines.join('\n')}\n}`);
  }
  const seen = new Set<GraphQLNamedType>();
  for (let type = waiting.shift(); type !== undefined; type = waiting.shift()) {
    if (seen.has(type) || isSpecifiedScalarType(type)) continue;
    seen.add(type);
    printed.push(withoutDescriptions(printType(type)));
    waiting.push(...typesIn(type, schema));
  }
  return printed.length === 0 ? '' : `${printed.join('\n\n')}\n`;
}

function typesIn(type: GraphQLNamedType, schema: GraphQLSchema): readonly GraphQLNamedType[] {
  const found = membersOf(type).flatMap((member): readonly GraphQLNamedType[] => [
    getNamedType(member.type),
    ...('args' in member ? member.args.map((one) => getNamedType(one.type)) : []),
  ]);
  if (isObjectType(type) || isInterfaceType(type)) found.push(...type.getInterfaces());
  if (isAbstractType(type)) found.push(...schema.getPossibleTypes(type));
  return found;
}

/** What does not fit what the remote schema offers, and where it stands. */
export function checkPermission(text: string, schema: GraphQLSchema): readonly Mark[] {
  if (text.replaceAll(/#.*/g, '').trim() === '') return [];
  const marks: Mark[] = [];
  const fault = (node: ASTNode, message: string): void => {
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
  for (const definition of definitions) checkType(definition, schema, own, fault);
  const query = schema.getQueryType();
  if (query && !own.has(query.name)) {
    marks.push({ from: 0, to: text.length, message: `The query root ${query.name} is missing`, severity: 'error' });
  }
  return marks;
}

type Fault = (node: ASTNode, message: string) => void;

function checkType(node: DefinitionNode, schema: GraphQLSchema, own: ReadonlySet<string>, fault: Fault): void {
  if (!('name' in node) || node.name === undefined || node.kind === Kind.DIRECTIVE_DEFINITION) return;
  const type = schema.getType(node.name.value);
  if (type === undefined) {
    fault(node.name, `The remote schema has no type ${node.name.value}`);
    return;
  }
  const uses = (used: TypeNode): void => {
    const { name } = innermost(used);
    const upstream = schema.getType(name.value);
    if (upstream === undefined) fault(name, `The remote schema has no type ${name.value}`);
    else if (!isSpecifiedScalarType(upstream) && !own.has(name.value)) {
      fault(name, `${name.value} is used, and must be written as well`);
    }
  };
  if ('fields' in node && 'getFields' in type) {
    const offered = type.getFields();
    for (const field of node.fields ?? []) {
      const known = offered[field.name.value];
      if (known === undefined) {
        fault(field.name, `${type.name} has no field ${field.name.value}`);
        continue;
      }
      if (print(field.type) === String(known.type)) uses(field.type);
      else fault(field.type, `${type.name}.${known.name} is ${known.type} in the remote schema`);
      for (const argument of ('arguments' in field && field.arguments) || []) {
        const taken = 'args' in known ? known.args.find((one) => one.name === argument.name.value) : undefined;
        const where = `${type.name}.${known.name}`;
        if (taken === undefined) fault(argument.name, `${where} takes no argument ${argument.name.value}`);
        else if (print(argument.type) === String(taken.type)) uses(argument.type);
        else fault(argument.type, `${where}(${taken.name}) is ${taken.type} in the remote schema`);
      }
    }
  }
  if (node.kind === Kind.ENUM_TYPE_DEFINITION && 'getValue' in type) {
    for (const value of node.values ?? []) {
      if (!type.getValue(value.name.value)) fault(value.name, `${type.name} has no value ${value.name.value}`);
    }
  }
  if (node.kind === Kind.UNION_TYPE_DEFINITION) for (const member of node.types ?? []) uses(member);
}

function innermost(type: TypeNode): NamedTypeNode {
  return type.kind === Kind.NAMED_TYPE ? type : innermost(type.type);
}
