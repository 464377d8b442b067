/** `pg_get_source_tables`: what a source has that could be tracked. */
import { parseArguments } from '@joinery/metadata/commands/arguments';
import { sourceArgument } from '@joinery/metadata/commands/change';
import { z } from 'zod';
import { ServiceError } from '../base/errors.ts';
import { within } from './edit.ts';
import { metadataApis, type ServiceCommand } from './step.ts';
import { readSource } from './world.ts';

const Arguments = z.strictObject({ source: sourceArgument });

/** The tables and views of the database as it is now, by schema and name. */
export const getSourceTables: ServiceCommand = {
  apis: metadataApis,
  changes: () => false,
  run: async ({ args }, progress, context) => {
    const { source: name } = within(() => parseArguments(Arguments, args));
    const source = progress.state.metadata.sources.find((one) => one.name === name);
    if (source === undefined) {
      throw new ServiceError('not-exists', `source with name "${name}" does not exist`, { path: '$.args.source' });
    }
    const catalog = await readSource(source, context.tools, context.unit);
    if (catalog instanceof ServiceError) throw catalog.under('$.args.source');
    const tables = [...catalog.relations.values()].map((one) => ({ name: one.name, schema: one.schema }));
    const key = (table: { schema: string; name: string }) => `${table.schema}\0${table.name}`;
    return { progress, answer: tables.sort((one, other) => (key(one) < key(other) ? -1 : 1)) };
  },
};
