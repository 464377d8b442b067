/** The customization of the names of a remote schema. */
import type { RemoteSchemaCustomization } from '@joinery/metadata/schema/remote-schemas';
import { type GraphQLNamedType, type GraphQLSchema, isSpecifiedScalarType } from 'graphql';
import type { ErrorCode } from '../../base/errors.ts';
import type { RemoteSchema } from '../types/table.ts';
import { composites, ownNames, type RemoteNames } from './schema-view.ts';

export interface CustomizationError {
  readonly code: ErrorCode;
  readonly reason: string;
}

interface Renaming {
  readonly prefix?: string | null | undefined;
  readonly suffix?: string | null | undefined;
  readonly mapping?: Readonly<Record<string, string>> | null | undefined;
}

/** The renaming of types and fields; undefined if the customization has none. */
export function remoteNames(
  written: RemoteSchemaCustomization | null | undefined,
  upstream: GraphQLSchema,
): RemoteNames | undefined {
  const { root_fields_namespace: namespace, type_names: types, field_names: fields } = written ?? {};
  if (types == null && (fields ?? []).length === 0) return undefined;
  const byParent = new Map((fields ?? []).map((one) => [one.parent_type as string, one]));
  // In a namespace no client sees the root types of the remote schema.
  const roots: ReadonlySet<string> = new Set(namespace == null ? rootTypeNames(upstream) : []);
  const isPlain = (name: string): boolean => isFixed(name) || roots.has(name);
  return {
    type: types == null ? ownNames.type : (name) => (isPlain(name) ? mapped(types, name) : renamed(types, name)),
    field: (parent, name) => {
      const renaming = byParent.get(parent);
      return renaming === undefined ? name : renamed(renaming, name);
    },
  };
}

/** Built-in scalars get no prefix or suffix. */
function isFixed(name: string): boolean {
  return name.startsWith('__') || isSpecifiedScalarType({ name } as GraphQLNamedType);
}

function mapped({ mapping }: Renaming, name: string): string {
  return mapping != null && Object.hasOwn(mapping, name) ? (mapping[name] ?? name) : name;
}

function renamed(renaming: Renaming, name: string): string {
  const { prefix, suffix, mapping } = renaming;
  if (mapping != null && Object.hasOwn(mapping, name)) return mapped(renaming, name);
  return `${prefix ?? ''}${name}${suffix ?? ''}`;
}

function rootTypeNames(upstream: GraphQLSchema): readonly string[] {
  const roots = [upstream.getQueryType(), upstream.getMutationType(), upstream.getSubscriptionType()];
  return roots.flatMap((type) => type?.name ?? []);
}

/**
 * The object that contains the root fields; undefined if there is none. Its type is named by the mapping, or else by the
 * namespace followed by the name of the root type.
 */
export function remoteNamespace(
  written: RemoteSchemaCustomization | null | undefined,
  upstream: GraphQLSchema,
): RemoteSchema['namespace'] {
  const name = written?.root_fields_namespace;
  if (name == null) return undefined;
  const mapping = written?.type_names?.mapping;
  const named = (root: string) =>
    mapping != null && Object.hasOwn(mapping, root) ? (mapping[root] ?? root) : `${name}${root}`;
  return {
    name,
    types: {
      query: named(upstream.getQueryType()?.name ?? 'Query'),
      mutation: named(upstream.getMutationType()?.name ?? 'Mutation'),
    },
  };
}

/** The error in the customized names, regardless of other names in use; undefined if there is none. */
export function customizationError(
  upstream: GraphQLSchema,
  names: RemoteNames,
  written: RemoteSchemaCustomization | null | undefined,
): CustomizationError | undefined {
  const fields = written?.field_names ?? [];
  if (fields.some(({ mapping }) => mapping != null && Object.hasOwn(mapping, '__typename'))) {
    return { code: 'invalid-params', reason: 'attempt to customize reserved field name "__typename"' };
  }
  const invalid = (reason: string): CustomizationError => ({ code: 'remote-schema-error', reason });
  const types = Object.keys(upstream.getTypeMap()).filter((name) => !name.startsWith('__'));
  const twice = repeated(types.map(names.type));
  if (twice !== undefined) {
    return invalid(`Type name mappings are not distinct; the following types appear more than once: ${twice}`);
  }
  for (const type of composites(upstream)) {
    const own = repeated(Object.keys(type.getFields()).map((field) => names.field(type.name, field)));
    if (own !== undefined) {
      const what = `Field name mappings for object type "${type.name}" are not distinct`;
      return invalid(`${what}; the following fields appear more than once: ${own}`);
    }
  }
  for (const type of composites(upstream)) {
    for (const one of type.getInterfaces()) {
      for (const field of Object.keys(one.getFields())) {
        const [there, here] = [names.field(one.name, field), names.field(type.name, field)];
        if (there === here) continue;
        const what = `field name mapping for field "${field}" of interface "${one.name}" is inconsistent with mapping for type "${type.name}"`;
        return invalid(
          `Remote schema customization inconsistency: ${what}. Interface field name maps to "${there}". Type field name maps to "${here}".`,
        );
      }
    }
  }
  const invalidName = [...types.map(names.type)].find((name) => !/^(?!__)[_A-Za-z][_0-9A-Za-z]*$/.test(name));
  return invalidName === undefined
    ? undefined
    : invalid(`"${invalidName}" is not a valid name of a GraphQL type; choose another prefix`);
}

function repeated(names: readonly string[]): string | undefined {
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return twice.size === 0 ? undefined : [...twice].map((name) => `"${name}"`).join(', ');
}
