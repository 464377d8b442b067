/** Adds and removes root fields in the permission SDL of a remote schema. Pure. */
import {
  type DefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isInterfaceType,
  isSpecifiedScalarType,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  printType,
  visit,
} from 'graphql';
import { withoutDescriptions } from '../../ui/editor/sdl-text.ts';

export interface RootField {
  /** Such as `Query.parcels`. */
  readonly path: string;
  readonly type: string;
}

export function rootFields(schema: GraphQLSchema): readonly RootField[] {
  return rootsOf(schema).flatMap((root) =>
    Object.values(root.getFields()).map((field) => ({ path: `${root.name}.${field.name}`, type: String(field.type) })),
  );
}

/** Returns the root fields of the SDL. Undefined for a syntax error. */
export function chosenRoots(text: string, schema: GraphQLSchema): ReadonlySet<string> | undefined {
  const definitions = definitionsIn(text);
  if (definitions === undefined) return undefined;
  const roots = new Set(rootsOf(schema).map(({ name }) => name));
  return new Set(
    definitions.flatMap((one) => {
      if (one.kind !== Kind.OBJECT_TYPE_DEFINITION || !roots.has(one.name.value)) return [];
      return (one.fields ?? []).map((field) => `${one.name.value}.${field.name.value}`);
    }),
  );
}

/** Returns the SDL with a root field and the types that it needs. Other types are preserved. */
export function withRoot(text: string, schema: GraphQLSchema, path: string): string {
  const [rootName = '', fieldName = ''] = path.split('.');
  const root = rootsOf(schema).find(({ name }) => name === rootName);
  const field = root?.getFields()[fieldName];
  const definitions = definitionsIn(text);
  if (root === undefined || field === undefined || definitions === undefined) return text;
  const given = field.args.map((one) => `${one.name}: ${one.type}`).join(', ');
  const added = typeNamed(`type ${rootName} { ${fieldName}${given === '' ? '' : `(${given})`}: ${field.type} }`);
  const known = definitions.find((one) => nameOf(one) === rootName);
  const changed =
    known?.kind === Kind.OBJECT_TYPE_DEFINITION
      ? definitions.map((one) =>
          one === known ? { ...known, fields: [...(known.fields ?? []), ...(added.fields ?? [])] } : one,
        )
      : [added, ...definitions];
  return printed(completed(changed, schema));
}

/** Returns the SDL without a root field and the types that only it needs. */
export function withoutRoot(text: string, schema: GraphQLSchema, path: string): string {
  const [rootName, fieldName] = path.split('.');
  const definitions = definitionsIn(text);
  if (definitions === undefined) return text;
  const changed = definitions.flatMap((one) => {
    if (one.kind !== Kind.OBJECT_TYPE_DEFINITION || one.name.value !== rootName) return [one];
    const fields = (one.fields ?? []).filter(({ name }) => name.value !== fieldName);
    return fields.length === 0 ? [] : [{ ...one, fields }];
  });
  return printed(reachable(changed, schema));
}

function rootsOf(schema: GraphQLSchema): readonly GraphQLObjectType[] {
  return [schema.getQueryType(), schema.getMutationType()].filter((root) => root !== undefined && root !== null);
}

/** Returns the definitions. Empty for text without definitions, undefined for a syntax error. */
function definitionsIn(text: string): readonly DefinitionNode[] | undefined {
  if (text.replaceAll(/#.*/g, '').trim() === '') return [];
  try {
    return parse(text, { noLocation: true }).definitions;
  } catch (error) {
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}

function typeNamed(sdl: string): ObjectTypeDefinitionNode {
  const [only] = parse(sdl, { noLocation: true }).definitions;
  if (only?.kind !== Kind.OBJECT_TYPE_DEFINITION) throw new Error(`${sdl} is no object type`);
  return only;
}

function nameOf(definition: DefinitionNode): string | undefined {
  return 'name' in definition ? definition.name?.value : undefined;
}

/** Adds referenced types that are missing, as the remote schema defines them. */
function completed(definitions: readonly DefinitionNode[], schema: GraphQLSchema): readonly DefinitionNode[] {
  const known = new Set(definitions.map(nameOf));
  const all = [...definitions];
  // Added types can refer to more types, which are appended.
  for (const definition of all) {
    for (const type of [...namedIn(definition, schema), ...implementersOf(definition, schema)]) {
      if (known.has(type.name)) continue;
      known.add(type.name);
      all.push(...parse(withoutDescriptions(printType(type)), { noLocation: true }).definitions);
    }
  }
  return all;
}

/** An interface needs at least one implementation. */
function implementersOf(definition: DefinitionNode, schema: GraphQLSchema): readonly GraphQLNamedType[] {
  const type = schema.getType(nameOf(definition) ?? '');
  return isInterfaceType(type) ? schema.getPossibleTypes(type) : [];
}

function namedIn(definition: DefinitionNode, schema: GraphQLSchema): readonly GraphQLNamedType[] {
  const found: GraphQLNamedType[] = [];
  visit(definition, {
    NamedType: ({ name }) => {
      const type = schema.getType(name.value);
      if (type !== undefined && !isSpecifiedScalarType(type)) found.push(type);
    },
  });
  return found;
}

/** Returns the definitions that are reachable from the roots, and those that are not types. */
function reachable(definitions: readonly DefinitionNode[], schema: GraphQLSchema): readonly DefinitionNode[] {
  const seen = new Set<string>();
  const waiting = rootsOf(schema).map(({ name }) => name);
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const definition = definitions.find((one) => nameOf(one) === name);
    if (definition === undefined) continue;
    const types = [...namedIn(definition, schema), ...implementersOf(definition, schema)];
    waiting.push(...types.map((type) => type.name));
  }
  return definitions.filter((one) => !one.kind.endsWith('TypeDefinition') || seen.has(nameOf(one) ?? ''));
}

function printed(definitions: readonly DefinitionNode[]): string {
  return definitions.length === 0 ? '' : `${definitions.map((one) => print(one)).join('\n\n')}\n`;
}
