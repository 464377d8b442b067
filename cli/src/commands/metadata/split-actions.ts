/** Splits the actions of the metadata into the content of `actions.yaml` and of `actions.graphql`. */

import type { Members, Named, TypeKind } from '@joinery/metadata/sdl/actions';
import type { Signature } from '@joinery/metadata/sdl/print-actions';

export interface SplitActions {
  readonly yaml: Members;
  readonly signatures: ReadonlyMap<string, Signature>;
  readonly types: ReadonlyMap<string, { readonly kind: TypeKind; readonly type: Named }>;
}

const kinds = ['input_objects', 'objects', 'interfaces', 'unions', 'enums', 'scalars'] as const;

/** `described`: the actions whose comment is a description in `actions.graphql`. */
export function splitActions(metadata: Members, described: ReadonlySet<string>): SplitActions {
  const signatures = new Map<string, Signature>();
  const actions = ((metadata.actions ?? []) as readonly Named[]).map((action) => {
    const { name, definition, permissions, comment } = action;
    const { type, arguments: given, output_type, kind, handler, ...rest } = definition as Members;
    const inSdl = described.has(name) && typeof comment === 'string';
    signatures.set(name, {
      type: String(type),
      arguments: (given ?? []) as readonly Named[],
      output_type: String(output_type),
      ...(inSdl && { description: comment }),
    });
    return {
      name,
      definition: { ...(kind !== undefined && { kind }), handler, ...rest },
      ...(permissions !== undefined && { permissions }),
      ...(comment !== undefined && !inSdl && { comment }),
    };
  });
  const custom = (metadata.custom_types ?? {}) as Readonly<Record<TypeKind, readonly Named[] | undefined>>;
  const types = new Map<string, { readonly kind: TypeKind; readonly type: Named }>();
  for (const kind of kinds) {
    for (const { relationships: _inYaml, ...type } of custom[kind] ?? []) types.set(type.name, { kind, type });
  }
  const named = (kind: TypeKind) => (custom[kind] ?? []).map(({ name }) => ({ name }));
  const objects = (custom.objects ?? []).map(({ name, relationships }) => ({
    name,
    ...(relationships !== undefined && { relationships }),
  }));
  const custom_types = {
    enums: named('enums'),
    input_objects: named('input_objects'),
    objects,
    scalars: named('scalars'),
  };
  return { yaml: { actions, custom_types }, signatures, types };
}
