/** Joins `actions.graphql` (signatures and types) with `actions.yaml` (handlers, permissions, relationships). */
import { join } from 'node:path';
import { print } from 'graphql';
import { argumentsOf, type Members, type Named, type ParsedActions, readActionsSdl } from './actions-sdl.ts';
import { ProjectError } from './project-error.ts';

/** `{ actions, custom_types }` of the metadata; empty when neither file says anything. Throws ProjectError. */
export function joinActions(written: Members, sdl: string, folder: string): Members {
  const parsed = readActionsSdl(sdl, join(folder, 'actions.graphql'));
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
      arguments: argumentsOf(field),
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

/** The YAML adds to a type what SDL cannot say: its relationships, in whatever form. */
function withRelationships(types: ParsedActions['types'], written: Members, folder: string): ParsedActions['types'] {
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
