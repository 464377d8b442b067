/** Validates the SDL of an action and its types. Pure. */
import {
  type ASTNode,
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  GraphQLError,
  Kind,
  type NamedTypeNode,
  type NameNode,
  parse,
  type TypeNode,
  visit,
} from 'graphql';
import type { Mark } from '../../../ui/editor/editor-props.ts';
import { syntaxMark } from '../../../ui/editor/syntax-mark.ts';
import { isPossiblyPostgres, type KnownTypes, type NamedKind } from './known-types.ts';

/** `action` is one field of Query or Mutation, `types` are its input and output types. */
export type SdlPart = 'action' | 'types';

/**
 * Returns the errors. `known` are the types of the service and the other editor. Undefined when unknown, which skips
 * reference checks.
 */
export function checkSdl(part: SdlPart, text: string, known: KnownTypes | undefined): readonly Mark[] {
  const document = parsed(text);
  if (document === undefined) return [];
  if (document instanceof GraphQLError) return [syntaxMark(text, document)];
  const marks: Mark[] = [];
  const report = (node: ASTNode | undefined, message: string, severity: Mark['severity'] = 'error') => {
    marks.push({ from: node?.loc?.start ?? 0, to: node?.loc?.end ?? text.length, message, severity });
  };
  if (part === 'action') checkAction(document, report);
  const own = kindsIn(document.definitions);
  for (const definition of document.definitions) {
    checkNames(definition, report);
    if (part === 'types') checkDefinition(definition, report);
    if (known !== undefined) checkReferences(definition, new Map([...known, ...own]), report);
  }
  doubled(
    document.definitions.flatMap((one) => ('name' in one && one.name !== undefined ? [one.name] : [])),
    (name) => `${name} is defined twice`,
    report,
  );
  return marks.sort((one, other) => one.from - other.from);
}

type Report = (node: ASTNode | undefined, message: string, severity?: Mark['severity']) => void;

/** Undefined for text without definitions. */
function parsed(text: string): DocumentNode | GraphQLError | undefined {
  if (text.replace(/#.*/g, '').trim() === '') return undefined;
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

/** Returns the defined types. Undefined for a syntax error. */
export function typesIn(text: string): KnownTypes | undefined {
  const document = parsed(text);
  if (document instanceof GraphQLError) return undefined;
  return kindsIn(document?.definitions ?? []);
}

const kindOfNode: Readonly<Record<string, NamedKind>> = {
  [Kind.OBJECT_TYPE_DEFINITION]: 'object',
  [Kind.INPUT_OBJECT_TYPE_DEFINITION]: 'input',
  [Kind.ENUM_TYPE_DEFINITION]: 'enum',
  [Kind.SCALAR_TYPE_DEFINITION]: 'scalar',
  [Kind.INTERFACE_TYPE_DEFINITION]: 'interface',
  [Kind.UNION_TYPE_DEFINITION]: 'union',
};

function kindsIn(definitions: readonly DefinitionNode[]): Map<string, NamedKind> {
  return new Map(
    definitions.flatMap((one) => {
      const kind = kindOfNode[one.kind];
      if (kind === undefined || !('name' in one) || one.name === undefined) return [];
      return /^(Query|Mutation)$/.test(one.name.value) ? [] : [[one.name.value, kind] as const];
    }),
  );
}

function checkAction({ definitions }: DocumentNode, report: Report): void {
  const [first, second] = definitions;
  if (second !== undefined) report(second, 'The action is one type, Query or Mutation; its other types go below');
  if (first?.kind !== Kind.OBJECT_TYPE_DEFINITION || !/^(Query|Mutation)$/.test(first.name.value)) {
    report(first !== undefined && 'name' in first ? first.name : first, 'Must be type Query or type Mutation');
    return;
  }
  const [field, another] = first.fields ?? [];
  if (field === undefined) report(first.name, 'Must have one field, which is the action');
  if (another !== undefined) report(another, 'Must have one field: each action is saved separately');
}

function checkDefinition(definition: DefinitionNode, report: Report): void {
  const named = 'name' in definition ? definition.name : undefined;
  if (kindOfNode[definition.kind] === undefined) {
    report(definition, 'Is not known here: write type, interface, union, input, enum or scalar');
  } else if (named !== undefined && /^(Query|Mutation|Subscription)$/.test(named.value)) {
    report(named, 'The action has a field of its own, above');
  } else if (named !== undefined && graphqlScalars.includes(named.value)) {
    report(named, `${named.value} is a type of GraphQL itself; choose another name`);
  }
}

const graphqlScalars = ['Int', 'Float', 'String', 'Boolean', 'ID'];

/** Rejects duplicate names, reserved names and unknown directives. */
function checkNames(definition: DefinitionNode, report: Report): void {
  if ('fields' in definition) {
    doubled(definition.fields?.map((one) => one.name) ?? [], (name) => `The field ${name} is declared twice`, report);
    for (const field of definition.fields ?? []) {
      if (!('arguments' in field) || field.kind !== Kind.FIELD_DEFINITION) continue;
      doubled(
        field.arguments?.map((one) => one.name) ?? [],
        (name) => `The argument ${name} is declared twice`,
        report,
      );
    }
  }
  if (definition.kind === Kind.ENUM_TYPE_DEFINITION) {
    doubled(definition.values?.map((one) => one.name) ?? [], (name) => `The value ${name} is declared twice`, report);
  }
  visit(definition, {
    Name: (node: NameNode) => {
      if (node.value.startsWith('__')) report(node, 'Names that start with __ are those of introspection');
    },
    Directive: (node: DirectiveNode) => {
      if (node.name.value !== 'deprecated') report(node, `@${node.name.value} is not known here`);
    },
  });
}

function doubled(names: readonly NameNode[], messageOf: (name: string) => string, report: Report): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name.value)) report(name, messageOf(name.value));
    seen.add(name.value);
  }
}

function checkReferences(definition: DefinitionNode, known: KnownTypes, report: Report): void {
  const check = (type: TypeNode | undefined, side: Side): void => {
    const node = type === undefined ? undefined : innermost(type);
    if (node === undefined) return;
    const problem = problemOf(node.name.value, side, known);
    if (problem !== undefined) report(node, problem.message, problem.severity);
  };
  switch (definition.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION: {
      const isRoot = /^(Query|Mutation)$/.test(definition.name.value);
      for (const one of definition.interfaces ?? []) check(one, 'interface');
      for (const field of definition.fields ?? []) {
        check(field.type, isRoot ? 'result' : 'output');
        for (const argument of field.arguments ?? []) {
          if (isRoot) check(argument.type, 'input');
          else report(argument, 'Output fields cannot have arguments');
        }
      }
      return;
    }
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      for (const field of definition.fields ?? []) check(field.type, 'input');
      return;
    case Kind.UNION_TYPE_DEFINITION:
      for (const member of definition.types ?? []) check(member, 'member');
      return;
    default:
      return;
  }
}

function innermost(type: TypeNode): NamedTypeNode {
  return type.kind === Kind.NAMED_TYPE ? type : innermost(type.type);
}

type Side = 'input' | 'output' | 'result' | 'interface' | 'member';

const takes: Readonly<Record<Side, { readonly kinds: readonly NamedKind[]; readonly use: string }>> = {
  input: { kinds: ['scalar', 'enum', 'input'], use: 'use a scalar, an enum or an input' },
  output: {
    kinds: ['scalar', 'enum', 'object', 'interface', 'union'],
    use: 'use a scalar, an enum, a type, an interface or a union',
  },
  result: { kinds: ['scalar', 'object', 'interface', 'union'], use: 'the output of an action is a type or a scalar' },
  interface: { kinds: ['interface'], use: 'only interfaces are implemented' },
  member: { kinds: ['object'], use: 'members of a union are types' },
};

const articles: Readonly<Record<NamedKind, string>> = {
  scalar: 'a scalar',
  enum: 'an enum',
  input: 'an input, which cannot be an output type',
  object: 'an output type',
  interface: 'an interface of output types',
  union: 'a union of output types',
  row: 'the type of the rows of a table',
};

function problemOf(name: string, side: Side, known: KnownTypes): Pick<Mark, 'message' | 'severity'> | undefined {
  const kind = known.get(name);
  if (kind === undefined) {
    if (side !== 'interface' && side !== 'member' && isPossiblyPostgres(name)) {
      return {
        message: `${name} is not known here; the service knows it if a column has this type`,
        severity: 'warning',
      };
    }
    return { message: `There is no type ${name}: define it under Types, or use a scalar`, severity: 'error' };
  }
  if (takes[side].kinds.includes(kind)) return undefined;
  const advice = kind === 'row' ? 'return its key, and add a relationship to the table' : takes[side].use;
  return { message: `${name} is ${articles[kind]}; ${advice}`, severity: 'error' };
}
