/** Draft of the customization of a source. Pure. */
import type { SourceEntry } from '../../shared/sources/sources-api.ts';

export interface NamesDraft {
  readonly namespace: string;
  readonly rootPrefix: string;
  readonly rootSuffix: string;
  readonly typePrefix: string;
  readonly typeSuffix: string;
  /** Empty for the default of the service. */
  readonly convention: string;
}

export const emptyNames: NamesDraft = {
  namespace: '',
  rootPrefix: '',
  rootSuffix: '',
  typePrefix: '',
  typeSuffix: '',
  convention: '',
};

function read(customization: SourceEntry['customization']): NonNullable<SourceEntry['customization']> {
  return customization ?? {};
}

export function namesDraftOf(customization: SourceEntry['customization']): NamesDraft {
  const { root_fields: roots, type_names: types, naming_convention: convention } = read(customization);
  return {
    namespace: roots?.namespace ?? '',
    rootPrefix: roots?.prefix ?? '',
    rootSuffix: roots?.suffix ?? '',
    typePrefix: types?.prefix ?? '',
    typeSuffix: types?.suffix ?? '',
    convention: convention ?? '',
  };
}

/** The fields by member of a source. */
export const nameMembers: Readonly<Record<string, keyof NamesDraft>> = {
  'customization.root_fields.namespace': 'namespace',
  'customization.root_fields.prefix': 'rootPrefix',
  'customization.root_fields.suffix': 'rootSuffix',
  'customization.type_names.prefix': 'typePrefix',
  'customization.type_names.suffix': 'typeSuffix',
};

export const nameMessages = { namespace: 'Must be letters, digits and underscores, with no digit first.' };

/** Returns the customization with the other members of `before`. Undefined when no name changed. */
export function customizationFrom(draft: NamesDraft, before: SourceEntry['customization']): object | undefined {
  const { root_fields: rootsBefore, type_names: typesBefore, naming_convention: _convention, ...rest } = read(before);
  const roots = {
    ...without(rootsBefore, ['namespace', 'prefix', 'suffix']),
    ...text('namespace', draft.namespace),
    ...text('prefix', draft.rootPrefix),
    ...text('suffix', draft.rootSuffix),
  };
  const types = {
    ...without(typesBefore, ['prefix', 'suffix']),
    ...text('prefix', draft.typePrefix),
    ...text('suffix', draft.typeSuffix),
  };
  const customization = {
    ...rest,
    ...(Object.keys(roots).length > 0 && { root_fields: roots }),
    ...(Object.keys(types).length > 0 && { type_names: types }),
    ...text('naming_convention', draft.convention),
  };
  return Object.keys(customization).length === 0 ? undefined : customization;
}

function without(members: object | null | undefined, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(members ?? {}).filter(([name]) => !names.includes(name)));
}

function text(name: string, value: string): object {
  return value.trim() === '' ? {} : { [name]: value.trim() };
}
