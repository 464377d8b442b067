/** Configuration of tracked tables: custom names and enum tables. */
import { z } from 'zod';
import type { Metadata } from '../../metadata.ts';
import { ApolloFederationConfig, TableConfiguration } from '../../schema/tables.ts';
import { changeTable, type TableTarget, tableArguments } from '../edit/change.ts';
import { defineCommand } from '../edit/command.ts';

/** Replaces the whole configuration. */
function configure(metadata: Metadata, target: TableTarget, configuration: TableConfiguration): Metadata {
  return changeTable(metadata, target, (entry) => ({ ...entry, configuration }));
}

export const setTableCustomization = defineCommand({
  name: 'set_table_customization',
  arguments: z.strictObject({ ...tableArguments, configuration: TableConfiguration }),
  apply: (args, metadata) => configure(metadata, args, args.configuration),
});

/** The older command with two of the settings. */
export const setTableCustomFields = defineCommand({
  name: 'set_table_custom_fields',
  arguments: z.strictObject({
    ...tableArguments,
    custom_root_fields: TableConfiguration.shape.custom_root_fields,
    custom_column_names: TableConfiguration.shape.custom_column_names,
  }),
  apply: ({ custom_root_fields, custom_column_names, ...target }, metadata) =>
    configure(metadata, target, {
      ...(custom_root_fields && { custom_root_fields }),
      ...(custom_column_names && { custom_column_names }),
    }),
});

export const setApolloFederationConfig = defineCommand({
  name: 'set_apollo_federation_config',
  /** Null removes the configuration. */
  arguments: z.strictObject({ ...tableArguments, apollo_federation_config: ApolloFederationConfig.nullish() }),
  apply: ({ apollo_federation_config, ...target }, metadata) =>
    changeTable(metadata, target, ({ apollo_federation_config: _before, ...entry }) => ({
      ...entry,
      ...(apollo_federation_config && { apollo_federation_config }),
    })),
});

export const setTableIsEnum = defineCommand({
  name: 'set_table_is_enum',
  arguments: z.strictObject({ ...tableArguments, is_enum: z.boolean() }),
  apply: ({ is_enum, ...target }, metadata) =>
    changeTable(metadata, target, ({ is_enum: _before, ...entry }) => (is_enum ? { ...entry, is_enum } : entry)),
  rereads: ({ source }) => [{ kind: 'catalog', source }],
});
