/** Joins `actions.graphql` (signatures and types) with `actions.yaml` (handlers, permissions, relationships). */
import { join } from 'node:path';
import {
  argumentsOf,
  descriptionOf,
  type Members,
  type Named,
  type ParsedActions,
  type TypeKind,
} from '@joinery/metadata/sdl/actions';
import { print } from 'graphql';
import { CliError, type ErrorDetail, type Place } from '../cli-error.ts';
import { checkActionsYaml } from './actions-members.ts';
import { readSdlFile, type SdlFile } from './actions-sdl.ts';
import type { Key } from './metadata-files.ts';

export interface JoinedActions {
  /** `{ actions, custom_types }` of the metadata without empty members. */
  readonly metadata: Members;
  readonly sdl: SdlFile;
  /** Members of `actions.yaml` that have no effect. */
  readonly warnings: readonly ErrorDetail[];
  /** Returns the place of a path in one of the two files. */
  place(keys: readonly Key[]): Place;
}

/** Returns the place of keys in `actions.yaml`. */
type YamlPlace = (keys: readonly Key[]) => Place;

/** Throws CliError with file, line and column where the files do not match. */
export function joinActions(written: Members, text: string, folder: string, yamlPlace?: YamlPlace): JoinedActions {
  const inYaml = yamlPlace ?? (() => ({ file: join(folder, 'actions.yaml'), line: 1, column: 1 }));
  const sdl = readSdlFile(text, join(folder, 'actions.graphql'));
  const entries = listOf(written.actions);
  rejectUndefined(entries, sdl, inYaml);
  const warnings = checkActionsYaml(written, sdl.types, inYaml);
  const actions = [...sdl.actions].map(([name, { type, field }]) => {
    const entry = entries.find((one) => one.name === name);
    if (entry === undefined) {
      const message = `action "${name}" is not in actions.yaml; add it there with its handler, or remove it here`;
      throw new CliError({ message, place: sdl.place(field) });
    }
    const description = descriptionOf(field);
    return {
      ...entry,
      ...(description !== undefined && (entry.comment ?? undefined) === undefined && { comment: description }),
      name,
      definition: {
        ...(entry.definition as Members | undefined),
        type,
        arguments: argumentsOf(field),
        output_type: print(field.type),
      },
    };
  });
  const additions = (written.custom_types ?? {}) as Members;
  const custom = withRelationships(sdl.types, additions);
  const hasTypes = Object.values(custom).some((list) => list.length > 0);
  return {
    metadata: { ...(actions.length > 0 && { actions }), ...(hasTypes && { custom_types: custom }) },
    sdl,
    warnings,
    place: (keys) => placeIn(keys, { sdl, entries, objects: listOf(additions.objects), inYaml }),
  };
}

function listOf(value: unknown): readonly Named[] {
  return Array.isArray(value) ? (value as readonly Named[]) : [];
}

/** Throws CliError for actions that the SDL does not define and for duplicates. */
function rejectUndefined(entries: readonly Named[], sdl: ParsedActions, inYaml: YamlPlace): void {
  const seen = new Set<string>();
  for (const [index, { name }] of entries.entries()) {
    const place = inYaml(['actions', index]);
    if (!sdl.actions.has(name)) {
      const message = `action "${name}" has no signature in actions.graphql; add it to type Query or Mutation there`;
      throw new CliError({ message, place });
    }
    if (seen.has(name)) throw new CliError({ message: `action "${name}" is defined twice`, place });
    seen.add(name);
  }
}

/** Adds the relationships of a type, which SDL cannot express. */
function withRelationships(types: ParsedActions['types'], written: Members): Record<TypeKind, readonly Named[]> {
  const additions = new Map(listOf(written.objects).map((entry) => [entry.name, entry.relationships]));
  const objects = types.objects.map((type) => {
    const relationships = additions.get(type.name);
    return relationships === undefined || relationships === null ? type : { ...type, relationships };
  });
  return { ...types, objects };
}

interface Parts {
  readonly sdl: SdlFile;
  readonly entries: readonly Named[];
  readonly objects: readonly Named[];
  readonly inYaml: YamlPlace;
}

const inSdl: ReadonlySet<unknown> = new Set(['type', 'arguments', 'output_type']);

function placeIn([member, ...keys]: readonly Key[], { sdl, entries, objects, inYaml }: Parts): Place {
  if (member === 'actions') {
    const [index, ...within] = keys;
    const [name, signature] = [...sdl.actions][Number(index)] ?? [];
    if (signature === undefined) return inYaml(['actions']);
    if (within[0] === 'definition' && inSdl.has(within[1])) {
      const argument = within[1] === 'arguments' ? signature.field.arguments?.[Number(within[2])] : undefined;
      return sdl.place(argument ?? (within[1] === 'output_type' ? signature.field.type : signature.field));
    }
    return inYaml(['actions', entries.findIndex((one) => one.name === name), ...within]);
  }
  const [kind, index, ...within] = keys;
  const node = sdl.nodes[kind as TypeKind]?.[Number(index)];
  if (node === undefined) return inYaml(['custom_types']);
  const { name } = sdl.types[kind as TypeKind][Number(index)] ?? {};
  const addition = objects.findIndex((one) => one.name === name);
  if (within[0] === 'relationships' && addition >= 0) return inYaml(['custom_types', 'objects', addition, ...within]);
  const fields = 'fields' in node ? node.fields : 'values' in node ? node.values : undefined;
  return sdl.place(fields?.[Number(within[1])] ?? node);
}
