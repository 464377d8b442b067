/** How a source changes the names of what it brings: a namespace for its root fields, something before and after names. */
import type { SourceCustomization } from '@joinery/metadata/sources';

/** What every name of a source begins and ends with; empty texts where nothing is asked. */
export interface SourceNames {
  /** The root fields stand in an object of this name. */
  readonly namespace: string | undefined;
  readonly root: (name: string) => string;
  readonly typePrefix: string;
  readonly typeSuffix: string;
}

export function sourceNames(written: SourceCustomization | null | undefined): SourceNames {
  const { root_fields: roots, type_names: types } = written ?? {};
  return {
    namespace: roots?.namespace ?? undefined,
    root: (name) => `${roots?.prefix ?? ''}${name}${roots?.suffix ?? ''}`,
    typePrefix: types?.prefix ?? '',
    typeSuffix: types?.suffix ?? '',
  };
}

export const plainNames: SourceNames = sourceNames(undefined);

/** Why the customization cannot be followed; undefined when it can. */
export function whyNoNames(written: SourceCustomization | null | undefined): string | undefined {
  const convention = written?.naming_convention;
  if (convention == null || convention === 'hasura-default') return undefined;
  return `naming_convention "${convention}" is not supported; leave it out`;
}

/** The root fields changed as the source asks. */
export function customRoots<Kind extends string>(
  roots: Readonly<Record<Kind, string>>,
  { root }: SourceNames,
): Record<Kind, string> {
  const entries = Object.entries<string>(roots).map(([kind, name]) => [kind, root(name)]);
  return Object.fromEntries(entries) as Record<Kind, string>;
}

/** A type of a table: `_bool_exp` of `author` is `author_bool_exp`, with the source's suffix behind it. */
export function typeName(table: { readonly graphqlName: string; readonly typeSuffix?: string }, rest = ''): string {
  return `${table.graphqlName}${rest}${table.typeSuffix ?? ''}`;
}

/** The object types of a namespace. */
export function namespaceTypes(
  namespace: string,
  { typePrefix, typeSuffix }: Pick<SourceNames, 'typePrefix' | 'typeSuffix'>,
): { readonly query: string; readonly mutation: string; readonly subscription: string } {
  const named = (rest: string) => `${typePrefix}${namespace}${rest}${typeSuffix}`;
  return { query: named('_query'), mutation: named('_mutation_frontend'), subscription: named('_subscription') };
}
