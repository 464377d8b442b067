/** Reads `actions.graphql`: signatures of actions, and the custom types as SDL writes them. */
import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type EnumValueDefinitionNode,
  type FieldDefinitionNode,
  GraphQLError,
  type InputValueDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  parse,
  print,
  type StringValueNode,
  valueFromASTUntyped,
} from 'graphql';
import { ProjectError } from './project-error.ts';

export type Members = Readonly<Record<string, unknown>>;
export type Named = Members & { readonly name: string };

const typeKinds = ['scalars', 'enums', 'input_objects', 'objects', 'interfaces', 'unions'] as const;

export interface ParsedActions {
  /** By name; `type` is `query` or `mutation`. */
  readonly actions: Map<string, { readonly type: string; readonly field: FieldDefinitionNode }>;
  readonly types: Record<(typeof typeKinds)[number], Named[]>;
}

/** What `sdl` says. Throws ProjectError with line and column of `file`. */
export function readActionsSdl(sdl: string, file: string): ParsedActions {
  const types = { scalars: [], enums: [], input_objects: [], objects: [], interfaces: [], unions: [] };
  const parsed: ParsedActions = { actions: new Map(), types };
  if (sdl.trim() === '') return parsed;
  try {
    for (const definition of parse(sdl).definitions) addDefinition(parsed, definition, file);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const at = error.locations?.[0];
    throw new ProjectError(`${file}:${at?.line ?? 1}:${at?.column ?? 1}: ${error.message}`, { cause: error });
  }
  return parsed;
}

/** The arguments of an action as the metadata writes them. */
export function argumentsOf(field: FieldDefinitionNode): readonly Members[] {
  return (field.arguments ?? []).map(inputOf);
}

function addDefinition(parsed: ParsedActions, definition: DefinitionNode, file: string): void {
  const { types } = parsed;
  switch (definition.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.OBJECT_TYPE_EXTENSION:
      addObject(parsed, definition);
      return;
    case Kind.INTERFACE_TYPE_DEFINITION:
      types.interfaces.push({ ...namedOf(definition), fields: (definition.fields ?? []).map(fieldOf) });
      return;
    case Kind.UNION_TYPE_DEFINITION:
      types.unions.push({ ...namedOf(definition), types: (definition.types ?? []).map(({ name }) => name.value) });
      return;
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      types.input_objects.push({ ...namedOf(definition), fields: (definition.fields ?? []).map(inputOf) });
      return;
    case Kind.ENUM_TYPE_DEFINITION:
      types.enums.push({ ...namedOf(definition), values: (definition.values ?? []).map(enumValueOf) });
      return;
    case Kind.SCALAR_TYPE_DEFINITION:
      types.scalars.push(namedOf(definition));
      return;
    default:
      throw new ProjectError(
        `${file}: ${definition.kind} cannot be used for actions; use types, interfaces, unions, inputs, enums and scalars`,
      );
  }
}

function addObject(
  { actions, types }: ParsedActions,
  definition: ObjectTypeDefinitionNode | ObjectTypeExtensionNode,
): void {
  const name = definition.name.value;
  const fields = definition.fields ?? [];
  if (name === 'Query' || name === 'Mutation') {
    for (const field of fields) actions.set(field.name.value, { type: name.toLowerCase(), field });
    return;
  }
  const interfaces = (definition.interfaces ?? []).map((one) => one.name.value);
  types.objects.push({
    name,
    ...('description' in definition && described(definition)),
    ...(interfaces.length > 0 && { implements: interfaces }),
    fields: fields.map(fieldOf),
  });
}

interface Definition {
  readonly name: { readonly value: string };
  readonly description?: StringValueNode | undefined;
}

function namedOf(node: Definition): Named {
  return { name: node.name.value, ...described(node) };
}

function described(node: Pick<Definition, 'description'>): Members {
  return node.description === undefined ? {} : { description: node.description.value };
}

function fieldOf(node: FieldDefinitionNode | InputValueDefinitionNode): Members {
  return { ...namedOf(node), type: print(node.type), ...deprecated(node.directives) };
}

/** A default is written as JSON, the members of enums as strings. */
function inputOf(node: InputValueDefinitionNode): Members {
  const { defaultValue } = node;
  return { ...fieldOf(node), ...(defaultValue && { default_value: valueFromASTUntyped(defaultValue) }) };
}

/** Without a reason, as older tools write it. */
function enumValueOf(node: EnumValueDefinitionNode): Members {
  const reason = deprecated(node.directives);
  const bare = isDeprecated(node.directives) && reason.deprecation_reason === standardReason;
  return { value: node.name.value, ...described(node), ...(bare ? { is_deprecated: true } : reason) };
}

const standardReason = 'No longer supported';

function isDeprecated(directives: readonly ConstDirectiveNode[] | undefined): boolean {
  return directives?.some(({ name }) => name.value === 'deprecated') === true;
}

function deprecated(directives: readonly ConstDirectiveNode[] | undefined): { readonly deprecation_reason?: string } {
  const directive = directives?.find(({ name }) => name.value === 'deprecated');
  if (directive === undefined) return {};
  const reason = directive.arguments?.find(({ name }) => name.value === 'reason')?.value;
  return { deprecation_reason: reason?.kind === Kind.STRING ? reason.value : standardReason };
}
