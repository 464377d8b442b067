/** Reads signatures of actions, and custom types, as SDL writes them. */
import {
  type ASTNode,
  type ConstDirectiveNode,
  type DefinitionNode,
  type EnumValueDefinitionNode,
  type FieldDefinitionNode,
  GraphQLError,
  getLocation,
  type InputValueDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  parse,
  print,
  type StringValueNode,
  valueFromASTUntyped,
} from 'graphql';

/** What cannot be read, and where: line and column count from 1. */
export class SdlError extends Error {
  readonly line: number;
  readonly column: number;

  constructor(message: string, { line, column }: SdlPlace, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SdlError';
    this.line = line;
    this.column = column;
  }
}

export interface SdlPlace {
  readonly line: number;
  readonly column: number;
}

export type Members = Readonly<Record<string, unknown>>;
export type Named = Members & { readonly name: string };

const typeKinds = ['scalars', 'enums', 'input_objects', 'objects', 'interfaces', 'unions'] as const;

export type TypeKind = (typeof typeKinds)[number];

export interface ParsedActions {
  /** By name; `type` is `query` or `mutation`. */
  readonly actions: Map<string, { readonly type: string; readonly field: FieldDefinitionNode }>;
  readonly types: Record<TypeKind, Named[]>;
  /** Where each definition of the types stands, as they are listed. */
  readonly nodes: Record<TypeKind, DefinitionNode[]>;
  /** All definitions in their order; none where the text is blank. */
  readonly definitions: readonly DefinitionNode[];
}

/** What `sdl` says. Throws SdlError. */
export function readActionsSdl(sdl: string): ParsedActions {
  const definitions = parseSdl(sdl);
  const parsed: ParsedActions = {
    actions: new Map(),
    types: { scalars: [], enums: [], input_objects: [], objects: [], interfaces: [], unions: [] },
    nodes: { scalars: [], enums: [], input_objects: [], objects: [], interfaces: [], unions: [] },
    definitions,
  };
  for (const definition of definitions) addDefinition(parsed, definition);
  return parsed;
}

/** Blank text, or comments alone, are no definitions; GraphQL itself wants at least one. */
function parseSdl(sdl: string): readonly DefinitionNode[] {
  if (sdl.replace(/#.*/g, '').trim() === '') return [];
  try {
    return parse(sdl).definitions;
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const { line = 1, column = 1 } = error.locations?.[0] ?? {};
    throw new SdlError(error.message, { line, column }, { cause: error });
  }
}

/** Where something that was read stands. */
export function placeOf({ loc }: ASTNode): SdlPlace {
  return loc === undefined ? { line: 1, column: 1 } : getLocation(loc.source, loc.start);
}

/** The arguments of an action as the metadata writes them. */
export function argumentsOf(field: FieldDefinitionNode): readonly Members[] {
  return (field.arguments ?? []).map(inputOf);
}

/** The description of an action is its comment. */
export function descriptionOf(node: Pick<Definition, 'description'>): string | undefined {
  return node.description?.value;
}

function addDefinition(parsed: ParsedActions, definition: DefinitionNode): void {
  const add = (kind: TypeKind, type: Named): void => {
    parsed.types[kind].push(type);
    parsed.nodes[kind].push(definition);
  };
  switch (definition.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.OBJECT_TYPE_EXTENSION:
      addObject(parsed, definition, add);
      return;
    case Kind.INTERFACE_TYPE_DEFINITION:
      add('interfaces', { ...namedOf(definition), fields: (definition.fields ?? []).map(fieldOf) });
      return;
    case Kind.UNION_TYPE_DEFINITION:
      add('unions', { ...namedOf(definition), types: (definition.types ?? []).map(({ name }) => name.value) });
      return;
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      add('input_objects', { ...namedOf(definition), fields: (definition.fields ?? []).map(inputOf) });
      return;
    case Kind.ENUM_TYPE_DEFINITION:
      add('enums', { ...namedOf(definition), values: (definition.values ?? []).map(enumValueOf) });
      return;
    case Kind.SCALAR_TYPE_DEFINITION:
      add('scalars', namedOf(definition));
      return;
    default:
      throw new SdlError(
        `${definition.kind} cannot be used for actions; use types, interfaces, unions, inputs, enums and scalars`,
        placeOf(definition),
      );
  }
}

function addObject(
  { actions, types }: ParsedActions,
  definition: ObjectTypeDefinitionNode | ObjectTypeExtensionNode,
  add: (kind: TypeKind, type: Named) => void,
): void {
  const name = definition.name.value;
  const fields = definition.fields ?? [];
  if (name === 'Query' || name === 'Mutation') {
    for (const field of fields) {
      const taken = actions.get(field.name.value);
      if (taken !== undefined) {
        const { line } = placeOf(taken.field);
        const message = `action "${field.name.value}" is also defined in line ${line}; remove one of the definitions`;
        throw new SdlError(message, placeOf(field));
      }
      actions.set(field.name.value, { type: name.toLowerCase(), field });
    }
    return;
  }
  const interfaces = (definition.interfaces ?? []).map((one) => one.name.value);
  const position = types.objects.findIndex((type) => type.name === name);
  const extended = definition.kind === Kind.OBJECT_TYPE_EXTENSION ? types.objects[position] : undefined;
  if (extended !== undefined) {
    const own = [...((extended.implements as string[] | undefined) ?? []), ...interfaces];
    const all = [...(extended.fields as Members[]), ...fields.map(fieldOf)];
    types.objects[position] = { ...extended, ...(own.length > 0 && { implements: own }), fields: all };
    return;
  }
  add('objects', {
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
