/** Random names of the root fields and types of two sources. */
import type { Random } from '../../random.ts';
import { quote } from './columns.ts';

/** Text before and after a name. */
type Affixes = readonly [prefix: string, suffix: string];

export interface Source {
  readonly name: 'default' | 'other';
  /** The root field that has the others as members. */
  readonly namespace: string | undefined;
  readonly rootFields: Affixes;
  readonly types: Affixes;
}

/** What has a source. `type` is the name without the affixes of the source. */
interface Named {
  readonly source: Source;
  readonly type: string;
}

const plain: Affixes = ['', ''];

/** The second source always has names of its own, because both have the enum table. */
export function randomSources(random: Random): readonly [Source, Source] {
  const affixes = (): Affixes => random.pick([['o_', ''] as const, ['', '_o'] as const, ['Other_', '_2'] as const]);
  const customized = random.oneIn(4);
  return [
    {
      name: 'default',
      namespace: undefined,
      rootFields: customized ? ['d_', '_d'] : plain,
      types: customized ? ['D_', ''] : plain,
    },
    {
      name: 'other',
      namespace: random.oneIn(2) ? 'elsewhere' : undefined,
      rootFields: affixes(),
      types: affixes(),
    },
  ];
}

/** Returns the name of a root field such as `insert_plain`. `before` and `after` are around the name. */
export function rootField({ source, type }: Named, before = '', after = ''): string {
  const [prefix, suffix] = source.rootFields;
  return `${prefix}${before}${type}${after}${suffix}`;
}

/** Returns the name of a type such as `plain_bool_exp`. */
export function typeName({ source, type }: Named, after = ''): string {
  const [prefix, suffix] = source.types;
  return `${prefix}${type}${after}${suffix}`;
}

/** Returns a selection of root fields of a source. */
export function inNamespace(namespace: string | undefined, selection: string): string {
  return namespace === undefined ? selection : `${namespace} { ${selection} }`;
}

/** Returns the customization of the source in the metadata. */
export function customizationOf({ namespace, rootFields, types }: Source): unknown {
  return {
    root_fields: {
      ...(namespace !== undefined && { namespace }),
      prefix: rootFields[0] || undefined,
      suffix: rootFields[1] || undefined,
    },
    type_names: { prefix: types[0] || undefined, suffix: types[1] || undefined },
  };
}

/** The name of a table in metadata and in SQL. */
export function qualified({ name }: { readonly name: string }): { readonly schema: string; readonly name: string } {
  return { schema: 'public', name };
}

export function sqlName({ name }: { readonly name: string }): string {
  return `public.${quote(name)}`;
}
