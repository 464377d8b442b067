/** What is at a position of an operation, also of one with syntax errors. Pure. */
import {
  astFromValue,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  print,
} from 'graphql';
import type { DocPlace } from '../docs/search-index.ts';
import { jsonTree } from '../request/json-tree.ts';
import {
  argumentOf,
  conditionType,
  directiveOf,
  fieldOf,
  inputField,
  inputType,
  namedType,
  operationKind,
  parsed,
  rootType,
  type Source,
  type SyntaxNode,
  textOf,
  variableType,
} from './syntax-types.ts';

export interface Described {
  /** Offsets of the word, with the `$` of a variable and the `@` of a directive. */
  readonly from: number;
  readonly to: number;
  readonly signature: string;
  /** Paragraphs: the description, the reason of a deprecation, the value of a variable. */
  readonly about: readonly string[];
  /** Undefined for what the documentation panel has no page of, such as a directive. */
  readonly place: DocPlace | undefined;
}

type Description = Omit<Described, 'from' | 'to'>;

interface Request extends Source {
  /** The text of the variables editor. */
  readonly variables: string;
}

/** Maximum length of a value that is shown. */
const MAX_VALUE = 200;

/** Returns what the schema or the document defines under the name at `offset`. */
export function describedAt(
  text: string,
  offset: number,
  { schema, variables }: { readonly schema: GraphQLSchema; readonly variables: string },
): Described | undefined {
  const [before = ''] = /[$@]?\w*$/.exec(text.slice(0, offset)) ?? [];
  const [after = ''] = (before === '' ? /^[$@]?\w*/ : /^\w*/).exec(text.slice(offset)) ?? [];
  const from = offset - before.length;
  const to = offset + after.length;
  if (from === to) return undefined;
  const found = describe({ text, schema, variables }, parsed(text).resolveInner(from, 1));
  return found === undefined ? undefined : { ...found, from, to };
}

function describe(source: Request, node: SyntaxNode): Description | undefined {
  const { parent } = node;
  if (parent === null) return undefined;
  switch (node.name) {
    case 'FieldName':
      return ofField(source, parent);
    case 'ArgumentAttributeName':
      return ofArgument(source, parent);
    case 'DirectiveName':
      return ofDirective(source, parent);
    case 'EnumValue':
      return ofEnumValue(source, node);
    case 'Variable':
      return ofVariable(source, node);
    case 'Name':
      return ofName(source, node, parent);
    default:
      return undefined;
  }
}

function ofName(source: Request, node: SyntaxNode, parent: SyntaxNode): Description | undefined {
  const name = textOf(source, node);
  switch (parent.name) {
    case 'Alias':
      return parent.parent === null ? undefined : ofField(source, parent.parent);
    case 'ObjectValue':
      return ofInput(inputType(source, parent), name);
    case 'NamedType': {
      const type = source.schema.getType(name);
      return type && { signature: type.name, about: descriptionOf(type), place: { type: type.name } };
    }
    case 'FragmentName':
      return ofFragment(source, name);
    case 'OperationDefinition': {
      const root = rootType(source, parent);
      const signature = `${operationKind(source, parent)} ${name}`;
      return root && { signature: `${signature} on ${root.name}`, about: [], place: { type: root.name } };
    }
    default:
      return undefined;
  }
}

function ofField(source: Source, node: SyntaxNode): Description | undefined {
  const found = fieldOf(source, node);
  if (found === undefined) return undefined;
  const { owner, field } = found;
  const isMeta = field.name.startsWith('__');
  return {
    signature: `${owner.name}.${field.name}: ${field.type}`,
    about: descriptionOf(field),
    place: isMeta ? { type: owner.name } : { type: owner.name, member: field.name },
  };
}

function ofArgument(source: Source, node: SyntaxNode): Description | undefined {
  const argument = argumentOf(source, node);
  if (argument === undefined) return undefined;
  const found = fieldOf(source, node.parent?.parent);
  const place = found && { type: found.owner.name, member: found.field.name, argument: argument.name };
  return { signature: inputSignature(argument), about: descriptionOf(argument), place };
}

function ofInput(type: GraphQLNamedType | undefined, name: string): Description | undefined {
  const field = inputField(type, name);
  if (type === undefined || field === undefined) return undefined;
  return {
    signature: `${type.name}.${inputSignature(field)}`,
    about: descriptionOf(field),
    place: { type: type.name, member: name },
  };
}

function ofDirective(source: Source, node: SyntaxNode): Description | undefined {
  const directive = directiveOf(source, node);
  if (directive === undefined) return undefined;
  const list = directive.args.map(inputSignature).join(', ');
  const signature = `@${directive.name}${list === '' ? '' : `(${list})`}`;
  return { signature, about: descriptionOf(directive), place: undefined };
}

function ofEnumValue(source: Source, node: SyntaxNode): Description | undefined {
  const type = inputType(source, node);
  const value = isEnumType(type) ? type.getValue(textOf(source, node)) : undefined;
  if (type === undefined || value == null) return undefined;
  return {
    signature: `${type.name}.${value.name}`,
    about: descriptionOf(value),
    place: { type: type.name, member: value.name },
  };
}

function ofFragment(source: Source, name: string): Description | undefined {
  const fragments = parsed(source.text).getChildren('FragmentDefinition');
  const found = fragments.find((one) => {
    const named = one.getChild('FragmentName');
    return named !== null && textOf(source, named) === name;
  });
  const type = found && conditionType(source, found);
  return (
    type && { signature: `fragment ${name} on ${type.name}`, about: descriptionOf(type), place: { type: type.name } }
  );
}

function ofVariable(source: Request, node: SyntaxNode): Description | undefined {
  const definition = definitionOf(source, node);
  const typeNode = definition && variableType(definition);
  if (definition === undefined || typeNode === undefined) return undefined;
  const name = textOf(source, node);
  const preset = definition.getChild('DefaultValue');
  const type = namedType(source, typeNode);
  return {
    signature: `${name}: ${textOf(source, typeNode)}${preset === null ? '' : ` ${textOf(source, preset)}`}`,
    about: [valueText(source.variables, name.slice(1), preset !== null), ...(type ? descriptionOf(type) : [])],
    place: type && { type: type.name },
  };
}

/** Returns the definition in the operation around the variable, else the first, because fragments define none. */
function definitionOf(source: Source, variable: SyntaxNode): SyntaxNode | undefined {
  const name = textOf(source, variable);
  let around: SyntaxNode | null = variable;
  while (around !== null && around.name !== 'OperationDefinition' && around.name !== 'FragmentDefinition') {
    around = around.parent;
  }
  const operations =
    around?.name === 'OperationDefinition' ? [around] : parsed(source.text).getChildren('OperationDefinition');
  return operations
    .flatMap((one) => one.getChild('VariableDefinitions')?.getChildren('VariableDefinition') ?? [])
    .find((one) => {
      const named = one.getChild('Variable');
      return named !== null && textOf(source, named) === name;
    });
}

function valueText(variables: string, name: string, hasDefault: boolean): string {
  const value = jsonTree(variables)?.members.find((one) => one.name === name)?.value;
  if (value === undefined) return hasDefault ? 'No value: the default applies.' : 'No value in the variables.';
  const text = variables.slice(value.from, value.to);
  return `Value: ${text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text}`;
}

function inputSignature({ name, type, defaultValue }: GraphQLArgument | GraphQLInputField): string {
  const preset = defaultValue === undefined ? undefined : astFromValue(defaultValue, type);
  return `${name}: ${type}${preset == null ? '' : ` = ${print(preset)}`}`;
}

interface Documented {
  readonly description?: string | null | undefined;
  readonly deprecationReason?: string | null | undefined;
}

function descriptionOf({ description, deprecationReason }: Documented): readonly string[] {
  const paragraphs = [description ?? '', deprecationReason == null ? '' : `Deprecated: ${deprecationReason}`];
  return paragraphs.filter((one) => one !== '');
}
