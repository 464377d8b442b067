/** The customization of a source's names: a namespace, prefixes and suffixes of root fields and types. */

import type { SourceCustomization } from '@joinery/metadata/schema/sources';
import type { NamespaceTypes, NamingConvention, SourceNames } from '../types/naming.ts';
import { pascalCase, upperFirst } from './naming-convention.ts';

/** The names of a source; `defaultConvention` applies if it sets none. */
export function sourceNames(
  written: SourceCustomization | null | undefined,
  defaultConvention?: NamingConvention,
): SourceNames {
  const { root_fields: roots, type_names: types, naming_convention } = written ?? {};
  const convention =
    naming_convention == null
      ? defaultConvention
      : naming_convention === 'graphql-default'
        ? naming_convention
        : undefined;
  const prefix = roots?.prefix ?? '';
  return {
    namespace: roots?.namespace ?? undefined,
    root: (name) => `${prefix}${convention && prefix !== '' ? upperFirst(name) : name}${roots?.suffix ?? ''}`,
    typePrefix: types?.prefix ?? '',
    typeSuffix: types?.suffix ?? '',
    ...(convention && { convention }),
  };
}

export const plainNames: SourceNames = sourceNames(undefined);

const conventions: ReadonlySet<string> = new Set(['hasura-default', 'graphql-default']);

/** Why the customization is invalid; undefined if it is valid. */
export function whyNoNames(written: SourceCustomization | null | undefined): string | undefined {
  const convention = written?.naming_convention;
  if (convention == null || conventions.has(convention)) return undefined;
  return `naming_convention "${convention}" is not known; give ${[...conventions].join(' or ')}`;
}

/** The names of root fields with the source's prefix and suffix. */
export function customRoots<Kind extends string>(
  roots: Readonly<Record<Kind, string>>,
  { root }: SourceNames,
): Record<Kind, string> {
  const entries = Object.entries<string>(roots).map(([kind, name]) => [kind, root(name)]);
  return Object.fromEntries(entries) as Record<Kind, string>;
}

/** The name of a type of a table: `_bool_exp` of `author` is `author_bool_exp`, followed by the source's suffix. */
export function typeName(
  table: {
    readonly graphqlName: string;
    readonly typeSuffix?: string;
    readonly typeNames?: Readonly<Record<string, string>>;
    readonly convention?: NamingConvention;
  },
  rest = '',
): string {
  const own = table.typeNames?.[rest];
  if (own !== undefined) return own;
  return `${table.graphqlName}${table.convention ? pascalCase(rest) : rest}${table.typeSuffix ?? ''}`;
}

/** The name of the enum of directions of a stream. */
export function cursorOrderingName({ typePrefix, typeSuffix, convention } = plainNames): string {
  return `${typePrefix}${convention === undefined ? 'cursor_ordering' : 'CursorOrdering'}${typeSuffix}`;
}

/** The names of the object types of a namespace. */
export function namespaceTypes(
  namespace: string,
  { typePrefix, typeSuffix }: Pick<SourceNames, 'typePrefix' | 'typeSuffix'>,
): NamespaceTypes {
  const named = (rest: string) => `${typePrefix}${namespace}${rest}${typeSuffix}`;
  return {
    query: named('_query'),
    mutation: named('_mutation_frontend'),
    backendMutation: named('_mutation_backend'),
    subscription: named('_subscription'),
  };
}
