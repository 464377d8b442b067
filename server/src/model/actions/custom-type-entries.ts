/** The written custom types before they are resolved: a shell for each, to be filled and to be referred to. */
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

/** Objects are made empty first, so that they can refer to each other in circles. */
export type InputShell = InputObject & { readonly fields: Map<string, InputField> };
export type OutputShell = OutputObject & {
  readonly fields: Map<string, OutputField>;
  readonly interfaces: OutputAbstract[];
};
export type AbstractShell = OutputAbstract & {
  readonly fields: Map<string, OutputField>;
  readonly members: OutputObject[];
};

export type Entry = {
  readonly path: string;
  /** Why the type is dropped; empty while it is sound. */
  readonly problems: string[];
} & (
  | { readonly kind: 'scalar'; readonly type: ScalarRef; readonly written: ScalarType }
  | { readonly kind: 'enum'; readonly type: EnumRef; readonly written: EnumType }
  | { readonly kind: 'input'; readonly type: InputShell; readonly written: InputObjectType }
  | { readonly kind: 'object'; readonly type: OutputShell; readonly written: ObjectType }
  | { readonly kind: 'interface'; readonly type: AbstractShell; readonly written: InterfaceType }
  | { readonly kind: 'union'; readonly type: AbstractShell; readonly written: UnionType }
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

/** A shell for each type, in the order of their kinds. */
export function declare(written: CustomTypes): Entry[] {
  return [
    ...written.scalars.map((scalar, index): Entry => {
      const type: ScalarRef = { kind: 'scalar', name: scalar.name, origin: 'custom', description: text(scalar) };
      return { kind: 'scalar', type, written: scalar, path: `$.custom_types.scalars[${index}]`, problems: [] };
    }),
    ...written.enums.map((one, index): Entry => {
      const values = one.values.map((member) => ({
        value: member.value,
        description: text(member),
        deprecated: member.deprecation_reason ?? (member.is_deprecated ? 'No longer supported' : undefined),
      }));
      const type: EnumRef = { kind: 'enum', name: one.name, description: text(one), values };
      return { kind: 'enum', type, written: one, path: `$.custom_types.enums[${index}]`, problems: [] };
    }),
    ...written.input_objects.map((input, index): Entry => {
      const type: InputShell = { kind: 'input', name: input.name, description: text(input), fields: new Map() };
      return { kind: 'input', type, written: input, path: `$.custom_types.input_objects[${index}]`, problems: [] };
    }),
    ...written.objects.map((object, index): Entry => {
      const type: OutputShell = {
        kind: 'object',
        name: object.name,
        description: text(object),
        fields: new Map(),
        interfaces: [],
      };
      return { kind: 'object', type, written: object, path: `$.custom_types.objects[${index}]`, problems: [] };
    }),
    ...(written.interfaces ?? []).map((one, index): Entry => {
      const type = abstractShell('interface', one);
      return { kind: 'interface', type, written: one, path: `$.custom_types.interfaces[${index}]`, problems: [] };
    }),
    ...(written.unions ?? []).map((one, index): Entry => {
      const type = abstractShell('union', one);
      return { kind: 'union', type, written: one, path: `$.custom_types.unions[${index}]`, problems: [] };
    }),
  ];
}

/** The description, if there is one. */
export function text(described: { readonly description?: string | null | undefined }): string | undefined {
  return described.description ?? undefined;
}

function abstractShell(form: OutputAbstract['form'], written: InterfaceType | UnionType): AbstractShell {
  return { kind: 'abstract', form, name: written.name, description: text(written), fields: new Map(), members: [] };
}
