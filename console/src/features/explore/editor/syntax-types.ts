/** The schema members that the syntax nodes of an operation refer to, also of one with syntax errors. Pure. */
import { graphqlLanguage } from 'cm6-graphql';
import {
  type GraphQLArgument,
  type GraphQLDirective,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  OperationTypeNode,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';

export type SyntaxNode = ReturnType<typeof graphqlLanguage.parser.parse>['topNode'];

export interface Source {
  readonly text: string;
  readonly schema: GraphQLSchema;
}

export function parsed(text: string): SyntaxNode {
  return graphqlLanguage.parser.parse(text).topNode;
}

export interface OwnedField {
  readonly owner: GraphQLNamedType;
  readonly field: GraphQLField<unknown, unknown>;
}

/** Returns the field that a syntax node selects. */
export function fieldOf(source: Source, node: SyntaxNode | null | undefined): OwnedField | undefined {
  if (node?.name !== 'Field') return undefined;
  const owner = setType(source, node.parent?.parent);
  const name = childText(source, node, 'FieldName');
  if (owner === undefined || name === undefined) return undefined;
  const field = metaField(source.schema, owner, name) ?? fieldsOf(owner)[name];
  return field && { owner, field };
}

function fieldsOf(type: GraphQLNamedType): Readonly<Record<string, GraphQLField<unknown, unknown>>> {
  return isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};
}

function metaField(schema: GraphQLSchema, owner: GraphQLNamedType, name: string): OwnedField['field'] | undefined {
  if (name === TypeNameMetaFieldDef.name && isCompositeType(owner)) return TypeNameMetaFieldDef;
  if (owner !== schema.getQueryType()) return undefined;
  return [SchemaMetaFieldDef, TypeMetaFieldDef].find((one) => one.name === name);
}

/** Returns the root type of an operation. */
export function rootType(source: Source, operation: SyntaxNode): GraphQLNamedType | undefined {
  const kind = operationKind(source, operation);
  const known = Object.values(OperationTypeNode).find((one) => one === kind);
  return known && (source.schema.getRootType(known) ?? undefined);
}

export function operationKind(source: Source, operation: SyntaxNode): string {
  return childText(source, operation, 'OperationType') ?? 'query';
}

/** Returns the type that a fragment is on. Undefined without a type condition. */
export function conditionType(source: Source, fragment: SyntaxNode): GraphQLNamedType | undefined {
  const named = fragment.getChild('TypeCondition')?.getChild('NamedType');
  return named == null ? undefined : source.schema.getType(textOf(source, named));
}

/** Returns the type that a selection set selects from. */
function setType(source: Source, set: SyntaxNode | null | undefined): GraphQLNamedType | undefined {
  const parent = set?.parent;
  switch (parent?.name) {
    case 'OperationDefinition':
      return rootType(source, parent);
    case 'Field': {
      const found = fieldOf(source, parent);
      return found && getNamedType(found.field.type);
    }
    case 'FragmentDefinition':
      return conditionType(source, parent);
    case 'InlineFragment':
      return parent.getChild('TypeCondition') === null
        ? setType(source, parent.parent?.parent)
        : conditionType(source, parent);
    default:
      return undefined;
  }
}

/** Returns the directive that a syntax node applies. */
export function directiveOf(source: Source, node: SyntaxNode | null | undefined): GraphQLDirective | undefined {
  if (node?.name !== 'Directive') return undefined;
  const name = childText(source, node, 'DirectiveName')?.replace(/^@\s*/, '');
  return name === undefined ? undefined : (source.schema.getDirective(name) ?? undefined);
}

/** Returns the argument of a field or directive that a syntax node gives a value. */
export function argumentOf(source: Source, node: SyntaxNode | null): GraphQLArgument | undefined {
  if (node?.name !== 'Argument') return undefined;
  const name = childText(source, node, 'ArgumentAttributeName');
  const user = node.parent?.parent;
  const known = fieldOf(source, user)?.field.args ?? directiveOf(source, user)?.args;
  return known?.find((one) => one.name === name);
}

/** Returns the named type of a value of an argument, of an input field, or of the default of a variable. */
export function inputType(source: Source, value: SyntaxNode): GraphQLNamedType | undefined {
  const { parent } = value;
  if (parent?.name === 'ListValue') return inputType(source, parent);
  if (parent?.name === 'ObjectValue') {
    const name = nameBefore(source, parent, value);
    const field = name === undefined ? undefined : inputField(inputType(source, parent), name);
    return field && getNamedType(field.type);
  }
  if (parent?.name === 'DefaultValue') {
    const type = parent.parent && variableType(parent.parent);
    return type ? namedType(source, type) : undefined;
  }
  const argument = argumentOf(source, parent);
  return argument && getNamedType(argument.type);
}

export function inputField(type: GraphQLNamedType | undefined, name: string): GraphQLInputField | undefined {
  return isInputObjectType(type) ? type.getFields()[name] : undefined;
}

/** Returns the node of the type of a variable definition. */
export function variableType(definition: SyntaxNode): SyntaxNode | undefined {
  const kinds = ['NonNullType', 'ListType', 'NamedType'];
  return kinds.map((kind) => definition.getChild(kind)).find((node) => node !== null) ?? undefined;
}

/** Returns the type of the schema that a type such as `[Int!]!` is of. */
export function namedType(source: Source, type: SyntaxNode): GraphQLNamedType | undefined {
  const [name] = /\w+/.exec(textOf(source, type)) ?? [];
  return name === undefined ? undefined : source.schema.getType(name);
}

/** Returns the name of the field whose value is `value`. */
function nameBefore(source: Source, object: SyntaxNode, value: SyntaxNode): string | undefined {
  const last = object
    .getChildren('Name')
    .filter(({ to }) => to <= value.from)
    .at(-1);
  return last && textOf(source, last);
}

export function textOf({ text }: Source, node: SyntaxNode): string {
  return text.slice(node.from, node.to);
}

function childText(source: Source, node: SyntaxNode, name: string): string | undefined {
  const child = node.getChild(name);
  return child === null ? undefined : textOf(source, child);
}
