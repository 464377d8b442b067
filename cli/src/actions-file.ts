/** Joins `actions.graphql` (signatures and types) with `actions.yaml` (handlers, permissions, relationships). */
import { join } from 'node:path';
import {
  type DefinitionNode,
  type FieldDefinitionNode,
  GraphQLError,
  type InputValueDefinitionNode,
  Kind,
  parse,
  print,
  type StringValueNode,
} from 'graphql';
import { ProjectError } from './project-error.ts';

type Members = Readonly<Record<string, unknown>>;
type Named = Members & { readonly name: string };

interface Parsed {
  readonly actions: Map<string, { readonly type: string; readonly field: FieldDefinitionNode }>;
  readonly types: Record<'scalars' | 'enums' | 'input_objects' | 'objects', Named[]>;
}

/** `{ actions, custom_types }` of the metadata; empty when neither file says anything. Throws ProjectError. */
export function joinActions(written: Members, sdl: string, folder: string): Members {
  const parsed = readSdl(sdl, join(folder, 'actions.graphql'));
  const entries = listOf(written.actions);
  for (const { name } of entries) {
    if (!parsed.actions.has(name)) {
      throw new ProjectError(`${join(folder, 'actions.yaml')}: action "${name}" has no signature in actions.graphql`);
    }
  }
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const actions = [...parsed.actions].map(([name, { type, field }]) => {
    const entry: Members = byName.get(name) ?? {};
    const definition = {
      ...(entry.definition as Members | undefined),
      type,
      arguments: (field.arguments ?? []).map(fieldOf),
      output_type: print(field.type),
    };
    return { ...entry, name, definition };
  });
  const custom = withRelationships(parsed.types, (written.custom_types ?? {}) as Members, folder);
  const hasTypes = Object.values(custom).some((list) => list.length > 0);
  return { ...(actions.length > 0 && { actions }), ...(hasTypes && { custom_types: custom }) };
}

function listOf(value: unknown): readonly Named[] {
  return Array.isArray(value) ? (value as readonly Named[]) : [];
}

/** The YAML adds to a type what SDL cannot say: its relationships. */
function withRelationships(types: Parsed['types'], written: Members, folder: string): Parsed['types'] {
  const known = new Set(types.objects.map(({ name }) => name));
  const additions = new Map(listOf(written.objects).map((entry) => [entry.name, entry.relationships]));
  for (const name of additions.keys()) {
    if (!known.has(name)) {
      throw new ProjectError(`${join(folder, 'actions.yaml')}: object type "${name}" is not in actions.graphql`);
    }
  }
  const objects = types.objects.map((type) => {
    const relationships = additions.get(type.name);
    return relationships === undefined || relationships === null ? type : { ...type, relationships };
  });
  return { ...types, objects };
}

function readSdl(sdl: string, file: string): Parsed {
  const parsed: Parsed = { actions: new Map(), types: { scalars: [], enums: [], input_objects: [], objects: [] } };
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

function addDefinition({ actions, types }: Parsed, definition: DefinitionNode, file: string): void {
  switch (definition.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.OBJECT_TYPE_EXTENSION: {
      const name = definition.name.value;
      const fields = definition.fields ?? [];
      if (name === 'Query' || name === 'Mutation') {
        for (const field of fields) actions.set(field.name.value, { type: name.toLowerCase(), field });
        return;
      }
      types.objects.push({
        name,
        ...('description' in definition && described(definition)),
        fields: fields.map(fieldOf),
      });
      return;
    }
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      types.input_objects.push({
        name: definition.name.value,
        ...described(definition),
        fields: (definition.fields ?? []).map(fieldOf),
      });
      return;
    case Kind.ENUM_TYPE_DEFINITION:
      types.enums.push({
        name: definition.name.value,
        ...described(definition),
        values: (definition.values ?? []).map((value) => ({
          value: value.name.value,
          ...described(value),
          ...(value.directives?.some((directive) => directive.name.value === 'deprecated') && { is_deprecated: true }),
        })),
      });
      return;
    case Kind.SCALAR_TYPE_DEFINITION:
      types.scalars.push({ name: definition.name.value, ...described(definition) });
      return;
    default:
      throw new ProjectError(
        `${file}: ${definition.kind} cannot be used for actions; use types, inputs, enums and scalars`,
      );
  }
}

function described(node: { readonly description?: StringValueNode | undefined }): Members {
  return node.description === undefined ? {} : { description: node.description.value };
}

function fieldOf(node: FieldDefinitionNode | InputValueDefinitionNode): Members {
  return { name: node.name.value, ...described(node), type: print(node.type) };
}
