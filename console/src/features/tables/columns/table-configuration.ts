/** API names of a table and its columns in the table configuration, which is replaced as a whole. Pure. */
import { type RootName, rootNames } from '@joinery/metadata/root-names';
import type { ColumnConfig, RootField, TableConfiguration } from '../../../shared/sources/sources-api.ts';

/** Returns the settings of a column in current or older format. */
export function columnConfig(configuration: TableConfiguration | undefined, column: string): ColumnConfig {
  const older = configuration?.custom_column_names?.[column];
  return { ...(older !== undefined && { custom_name: older }), ...configuration?.column_config?.[column] };
}

/** Changes the settings of a column. Empty text removes a setting, other members are preserved. */
export function withColumn(
  configuration: TableConfiguration,
  column: string,
  { name, comment }: { readonly name: string; readonly comment: string },
): TableConfiguration {
  const { custom_name: _name, comment: _comment, ...others } = configuration.column_config?.[column] ?? {};
  const own = {
    ...others,
    ...(name !== '' && { custom_name: name }),
    ...(comment !== '' && { comment }),
  };
  return {
    ...configuration,
    custom_column_names: without(configuration.custom_column_names, column),
    column_config: {
      ...without(configuration.column_config, column),
      ...(Object.keys(own).length > 0 && { [column]: own }),
    },
  };
}

function without<Value>(members: Readonly<Record<string, Value>> | undefined, name: string): Record<string, Value> {
  return Object.fromEntries(Object.entries(members ?? {}).filter(([one]) => one !== name));
}

export interface TableNames {
  readonly customName: string;
  readonly comment: string;
  /** Empty for the default name. */
  readonly roots: Readonly<Partial<Record<RootName, string>>>;
}

export function namesOf(configuration: TableConfiguration | undefined): TableNames {
  const roots = rootNames.map((root) => [root, rootName(configuration?.custom_root_fields?.[root])]);
  return {
    customName: configuration?.custom_name ?? '',
    comment: configuration?.comment ?? '',
    roots: Object.fromEntries(roots) as TableNames['roots'],
  };
}

function rootName(field: RootField | null | undefined): string {
  return typeof field === 'string' ? field : (field?.name ?? '');
}

/** Changes the names. Comments of root fields are preserved. */
export function withNames(configuration: TableConfiguration, names: TableNames): TableConfiguration {
  const { custom_name: _name, comment: _comment, ...rest } = configuration;
  const roots = rootNames.flatMap((root): [string, RootField][] => {
    const name = names.roots[root] ?? '';
    const before = configuration.custom_root_fields?.[root];
    const comment = typeof before === 'object' && before !== null ? before.comment : undefined;
    if (comment !== undefined && comment !== null) return [[root, name === '' ? { comment } : { name, comment }]];
    return name === '' ? [] : [[root, name]];
  });
  return {
    ...rest,
    ...(names.customName !== '' && { custom_name: names.customName }),
    ...(names.comment !== '' && { comment: names.comment }),
    custom_root_fields: Object.fromEntries(roots),
  };
}
