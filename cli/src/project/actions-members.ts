/** The members of `actions.yaml`: misspelled ones are rejected, unknown ones and those that `actions.graphql` defines have no effect. */

import { nearestName } from '@joinery/metadata/commands/edit/nearest-name';
import { isJsonObject } from '@joinery/metadata/json';
import type { Members, Named, ParsedActions, TypeKind } from '@joinery/metadata/sdl/actions';
import { CliError, type ErrorDetail, type Place } from '../cli-error.ts';
import type { Key } from './metadata-files.ts';

type YamlPlace = (keys: readonly Key[]) => Place;

const rootMembers = ['actions', 'custom_types'];

/** Members that `actions.graphql` defines by kind of type; the YAML of older tools repeats them. */
const inSdl: Readonly<Record<TypeKind, readonly string[]>> = {
  scalars: ['description'],
  enums: ['description', 'values'],
  input_objects: ['description', 'fields'],
  objects: ['description', 'fields', 'implements'],
  interfaces: ['description', 'fields'],
  unions: ['description', 'types'],
};
const kinds = Object.keys(inSdl) as TypeKind[];

const signature = ['type', 'arguments', 'output_type'];

/**
 * Returns the members without effect, unknown ones included. Throws CliError at the first undefined type, and at the first
 * unknown member with a name similar to that of a valid one.
 */
export function checkActionsYaml(
  written: Members,
  types: ParsedActions['types'],
  place: YamlPlace,
): readonly ErrorDetail[] {
  const warnings: ErrorDetail[] = [];
  const checkMembers = (object: Members, members: readonly string[], keys: readonly Key[]): void => {
    for (const name of Object.keys(object)) {
      if (members.includes(name)) continue;
      rejectSimilar(name, members, keys, place);
      const message = `the member "${name}" is unknown and has no effect; remove it`;
      warnings.push({ message, place: place([...keys, name]) });
    }
  };
  checkMembers(written, rootMembers, []);
  const ignored = (object: Members, members: readonly string[], keys: readonly Key[]): void => {
    for (const name of members) {
      if (isNothing(object[name])) continue;
      const message = `the member "${name}" has no effect; actions.graphql defines it`;
      warnings.push({ message, place: place([...keys, name]) });
    }
  };
  for (const [index, action] of listOf(written.actions).entries()) {
    if (isJsonObject(action.definition)) ignored(action.definition, signature, ['actions', index, 'definition']);
  }
  const custom = isJsonObject(written.custom_types) ? written.custom_types : {};
  checkMembers(custom, kinds, ['custom_types']);
  for (const kind of kinds) {
    const known = new Set(types[kind].map(({ name }) => name));
    const own = kind === 'objects' ? ['name', 'relationships'] : ['name'];
    for (const [index, type] of listOf(custom[kind]).entries()) {
      const keys = ['custom_types', kind, index];
      if (!known.has(type.name)) {
        const message = `${nouns[kind]} "${type.name}" is not in actions.graphql; define it there, or remove it here`;
        throw new CliError({ message, place: place(keys) });
      }
      checkMembers(type, [...own, ...inSdl[kind]], keys);
      ignored(type, inSdl[kind], keys);
    }
  }
  return warnings;
}

const nouns: Readonly<Record<TypeKind, string>> = {
  scalars: 'scalar',
  enums: 'enum',
  input_objects: 'input object type',
  objects: 'object type',
  interfaces: 'interface',
  unions: 'union',
};

/** Throws CliError where `object` has a member that is not in `known`. */
export function rejectUnknown(object: Members, known: readonly string[], keys: readonly Key[], place: YamlPlace): void {
  const name = Object.keys(object).find((one) => !known.includes(one));
  if (name === undefined) return;
  rejectSimilar(name, known, keys, place);
  throw new CliError({ message: `unknown member "${name}"; remove it`, place: place([...keys, name]) });
}

/** Throws CliError for a name that is similar to one in `known`. */
function rejectSimilar(name: string, known: readonly string[], keys: readonly Key[], place: YamlPlace): void {
  const near = nearestName(name, known);
  if (near === undefined) return;
  throw new CliError({ message: `unknown member "${name}"; did you mean "${near}"?`, place: place([...keys, name]) });
}

function listOf(value: unknown): readonly Named[] {
  return Array.isArray(value) ? (value as readonly Named[]).filter(isJsonObject) : [];
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
