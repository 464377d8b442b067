/** The members of `actions.yaml`: unknown ones are rejected, those that `actions.graphql` writes have no effect. */

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

/** Returns the members without effect. Throws CliError at the first unknown member or undefined type. */
export function checkActionsYaml(
  written: Members,
  types: ParsedActions['types'],
  place: YamlPlace,
): readonly ErrorDetail[] {
  rejectUnknown(written, rootMembers, [], place);
  const warnings: ErrorDetail[] = [];
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
  rejectUnknown(custom, kinds, ['custom_types'], place);
  for (const kind of kinds) {
    const known = new Set(types[kind].map(({ name }) => name));
    const own = kind === 'objects' ? ['name', 'relationships'] : ['name'];
    for (const [index, type] of listOf(custom[kind]).entries()) {
      const keys = ['custom_types', kind, index];
      if (!known.has(type.name)) {
        const message = `${nouns[kind]} "${type.name}" is not in actions.graphql; define it there, or remove it here`;
        throw new CliError({ message, place: place(keys) });
      }
      rejectUnknown(type, [...own, ...inSdl[kind]], keys, place);
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
  const near = nearestName(name, known);
  const advice = near === undefined ? 'remove it' : `did you mean "${near}"?`;
  throw new CliError({ message: `unknown member "${name}"; ${advice}`, place: place([...keys, name]) });
}

function listOf(value: unknown): readonly Named[] {
  return Array.isArray(value) ? (value as readonly Named[]).filter(isJsonObject) : [];
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
