/** What is at a position of an operation, also of one with syntax errors. Pure. */
import { graphqlLanguage } from 'cm6-graphql';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  OperationTypeNode,
} from 'graphql';
import type { DocPlace } from '../docs/search-index.ts';

export interface Described {
  /** Offsets of the word. */
  readonly from: number;
  readonly to: number;
  readonly signature: string;
  readonly about: string;
  readonly place: DocPlace;
}

type SyntaxNode = ReturnType<typeof graphqlLanguage.parser.parse>['topNode'];

interface Source {
  readonly text: string;
  readonly schema: GraphQLSchema;
}

/** Returns the field, argument, input field or type at `offset`. */
export function describedAt(text: string, offset: number, schema: GraphQLSchema): Described | undefined {
  const [before = ''] = /\w*$/.exec(text.slice(0, offset)) ?? [];
  const [after = ''] = /^\w*/.exec(text.slice(offset)) ?? [];
  const from = offset - before.length;
  const to = offset + after.length;
  if (from === to) return undefined;
  const node = graphqlLanguage.parser.parse(text).resolveInner(from, 1);
  const found = describe({ text, schema }, node);
  return found === undefined ? undefined : { ...found, from, to };
}

type Description = Omit<Described, 'from' | 'to'>;

function describe(source: Source, node: SyntaxNode): Description | undefined {
  const name = source.text.slice(node.from, node.to);
  const { parent } = node;
  if (node.name === 'FieldName' && parent !== null) return ofField(source, parent);
  if (node.name === 'Name' && parent?.name === 'Alias' && parent.parent !== null) return ofField(source, parent.parent);
  if (node.name === 'ArgumentAttributeName' && parent !== null) return ofArgument(source, parent);
  if (node.name === 'Name' && parent?.name === 'ObjectValue') return ofInput(source, parent, name);
  const type = node.name === 'Name' && parent?.name === 'NamedType' ? source.schema.getType(name) : undefined;
  return type && { signature: type.name, about: type.description ?? '', place: { type: type.name } };
}

function ofField(source: Source, node: SyntaxNode): Description | undefined {
  const found = fieldOf(source, node);
  if (found === undefined) return undefined;
  const { owner, field } = found;
  const about = field.deprecationReason ? `Deprecated: ${field.deprecationReason}` : (field.description ?? '');
  return {
    signature: `${owner.name}.${field.name}: ${field.type}`,
    about,
    place: { type: owner.name, member: field.name },
  };
}

function ofArgument(source: Source, node: SyntaxNode): Description | undefined {
  const argument = argumentOf(source, node);
  const found = argument && fieldOf(source, node.parent?.parent);
  if (argument === undefined || found === undefined) return undefined;
  const place = { type: found.owner.name, member: found.field.name, argument: argument.name };
  return { signature: `${argument.name}: ${argument.type}`, about: argument.description ?? '', place };
}

function ofInput(source: Source, object: SyntaxNode, name: string): Description | undefined {
  const type = inputType(source, object);
  const field = inputField(type, name);
  if (type === undefined || field === undefined) return undefined;
  return {
    signature: `${type.name}.${name}: ${field.type}`,
    about: field.description ?? '',
    place: { type: type.name, member: name },
  };
}

interface OwnedField {
  readonly owner: GraphQLNamedType;
  readonly field: GraphQLField<unknown, unknown>;
}

/** Returns the field that a syntax node selects. */
function fieldOf(source: Source, node: SyntaxNode | null | undefined): OwnedField | undefined {
  if (node?.name !== 'Field') return undefined;
  const owner = setType(source, node.parent?.parent);
  const name = childText(source, node, 'FieldName');
  if (!isObjectType(owner) && !isInterfaceType(owner)) return undefined;
  const field = name === undefined ? undefined : owner.getFields()[name];
  return field && { owner, field };
}

/** Returns the type that a selection set selects from. */
function setType(source: Source, set: SyntaxNode | null | undefined): GraphQLNamedType | undefined {
  const parent = set?.parent;
  switch (parent?.name) {
    case 'OperationDefinition': {
      const kind = childText(source, parent, 'OperationType') ?? 'query';
      const operation = Object.values(OperationTypeNode).find((one) => one === kind);
      return operation && (source.schema.getRootType(operation) ?? undefined);
    }
    case 'Field': {
      const found = fieldOf(source, parent);
      return found && getNamedType(found.field.type);
    }
    case 'FragmentDefinition':
    case 'InlineFragment': {
      const named = parent.getChild('TypeCondition')?.getChild('NamedType');
      if (named == null) return setType(source, parent.parent?.parent);
      return source.schema.getType(source.text.slice(named.from, named.to));
    }
    default:
      return undefined;
  }
}

function argumentOf(source: Source, node: SyntaxNode | null): GraphQLArgument | undefined {
  if (node?.name !== 'Argument') return undefined;
  const name = childText(source, node, 'ArgumentAttributeName');
  return fieldOf(source, node.parent?.parent)?.field.args.find((one) => one.name === name);
}

/** Returns the named type of a value. */
function inputType(source: Source, value: SyntaxNode): GraphQLNamedType | undefined {
  const { parent } = value;
  if (parent?.name === 'ListValue') return inputType(source, parent);
  if (parent?.name === 'ObjectValue') {
    const name = nameBefore(source, parent, value);
    const field = name === undefined ? undefined : inputField(inputType(source, parent), name);
    return field && getNamedType(field.type);
  }
  const argument = argumentOf(source, parent);
  return argument && getNamedType(argument.type);
}

function inputField(type: GraphQLNamedType | undefined, name: string): GraphQLInputField | undefined {
  return isInputObjectType(type) ? type.getFields()[name] : undefined;
}

/** Returns the name of the field whose value is `value`. */
function nameBefore({ text }: Source, object: SyntaxNode, value: SyntaxNode): string | undefined {
  const names = object.getChildren('Name').filter(({ to }) => to <= value.from);
  const last = names.at(-1);
  return last && text.slice(last.from, last.to);
}

function childText({ text }: Source, node: SyntaxNode, name: string): string | undefined {
  const child = node.getChild(name);
  return child === null ? undefined : text.slice(child.from, child.to);
}
