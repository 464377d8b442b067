/** The custom types of the metadata with an unresolved type for each, which other types can refer to. */
import type {
  CustomTypes,
  EnumType,
  InputObjectType,
  InterfaceType,
  ObjectType,
  ScalarType,
  UnionType,
} from '@joinery/metadata/schema/actions';
import type {
  EnumRef,
  InputField,
  InputObject,
  OutputAbstract,
  OutputField,
  OutputObject,
  ScalarRef,
} from '../types/action.ts';

/** Types are created without fields first, because they may refer to each other recursively. */
export type UnresolvedInput = InputObject & { readonly fields: Map<string, InputField> };
export type UnresolvedOutput = OutputObject & {
  readonly fields: Map<string, OutputField>;
  readonly interfaces: OutputAbstract[];
};
export type UnresolvedAbstract = OutputAbstract & {
  readonly fields: Map<string, OutputField>;
  readonly members: OutputObject[];
};

export type Entry = {
  readonly path: string;
  /** The errors of the type, which is dropped if there are any. */
  readonly problems: string[];
} & (
  | { readonly kind: 'scalar'; readonly type: ScalarRef; readonly written: ScalarType }
  | { readonly kind: 'enum'; readonly type: EnumRef; readonly written: EnumType }
  | { readonly kind: 'input'; readonly type: UnresolvedInput; readonly written: InputObjectType }
  | { readonly kind: 'object'; readonly type: UnresolvedOutput; readonly written: ObjectType }
  | { readonly kind: 'interface'; readonly type: UnresolvedAbstract; readonly written: InterfaceType }
  | { readonly kind: 'union'; readonly type: UnresolvedAbstract; readonly written: UnionType }
);

export type EntryOf<Kind extends Entry['kind']> = Extract<Entry, { readonly kind: Kind }>;

export const kindNames = {
  scalar: 'scalar',
  enum: 'enum type',
  input: 'input object type',
  object: 'object type',
  interface: 'interface',
  union: 'union',
} as const satisfies Record<Entry['kind'], string>;

/** An entry for each type, in order of the kinds. */
export function declare(written: CustomTypes): Entry[] {
  return [
    ...written.scalars.map((scalar, index): Entry => {
      const type: ScalarRef = {
        kind: 'scalar',
        name: scalar.name,
        origin: 'custom',
        description: descriptionOf(scalar),
      };
      return { kind: 'scalar', type, written: scalar, path: `$.custom_types.scalars[${index}]`, problems: [] };
    }),
    ...written.enums.map((one, index): Entry => {
      const values = one.values.map((member) => ({
        value: member.value,
        description: descriptionOf(member),
        deprecated: member.deprecation_reason ?? (member.is_deprecated ? 'No longer supported' : undefined),
      }));
      const type: EnumRef = { kind: 'enum', name: one.name, description: descriptionOf(one), values };
      return { kind: 'enum', type, written: one, path: `$.custom_types.enums[${index}]`, problems: [] };
    }),
    ...written.input_objects.map((input, index): Entry => {
      const type: UnresolvedInput = {
        kind: 'input',
        name: input.name,
        description: descriptionOf(input),
        fields: new Map(),
      };
      return { kind: 'input', type, written: input, path: `$.custom_types.input_objects[${index}]`, problems: [] };
    }),
    ...written.objects.map((object, index): Entry => {
      const type: UnresolvedOutput = {
        kind: 'object',
        name: object.name,
        description: descriptionOf(object),
        fields: new Map(),
        interfaces: [],
      };
      return { kind: 'object', type, written: object, path: `$.custom_types.objects[${index}]`, problems: [] };
    }),
    ...(written.interfaces ?? []).map((one, index): Entry => {
      const type = unresolvedAbstract('interface', one);
      return { kind: 'interface', type, written: one, path: `$.custom_types.interfaces[${index}]`, problems: [] };
    }),
    ...(written.unions ?? []).map((one, index): Entry => {
      const type = unresolvedAbstract('union', one);
      return { kind: 'union', type, written: one, path: `$.custom_types.unions[${index}]`, problems: [] };
    }),
  ];
}

/** The description; undefined if there is none. */
export function descriptionOf(described: { readonly description?: string | null | undefined }): string | undefined {
  return described.description ?? undefined;
}

function unresolvedAbstract(form: OutputAbstract['form'], written: InterfaceType | UnionType): UnresolvedAbstract {
  return {
    kind: 'abstract',
    form,
    name: written.name,
    description: descriptionOf(written),
    fields: new Map(),
    members: [],
  };
}
