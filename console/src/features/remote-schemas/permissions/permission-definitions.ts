/** The definitions of the permission SDL of a remote schema, and the types that they need. Pure. */
import {
  type DefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isInterfaceType,
  isSpecifiedScalarType,
  parse,
  print,
  printType,
  visit,
} from 'graphql';
import { withoutDescriptions } from '../../../ui/editor/sdl-text.ts';

export function rootsOf(schema: GraphQLSchema): readonly GraphQLObjectType[] {
  return [schema.getQueryType(), schema.getMutationType()].filter((root) => root !== undefined && root !== null);
}

/** Returns the definitions. Empty for text without definitions, undefined for a syntax error. */
export function definitionsIn(text: string): readonly DefinitionNode[] | undefined {
  if (text.replaceAll(/#.*/g, '').trim() === '') return [];
  try {
    return parse(text, { noLocation: true }).definitions;
  } catch (error) {
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}

export function nameOf(definition: DefinitionNode): string | undefined {
  return 'name' in definition ? definition.name?.value : undefined;
}

/** Adds referenced types that are missing, as the remote schema defines them. */
export function completed(definitions: readonly DefinitionNode[], schema: GraphQLSchema): readonly DefinitionNode[] {
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
export function reachable(definitions: readonly DefinitionNode[], schema: GraphQLSchema): readonly DefinitionNode[] {
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

export function printed(definitions: readonly DefinitionNode[]): string {
  return definitions.length === 0 ? '' : `${definitions.map((one) => print(one)).join('\n\n')}\n`;
}
