/** `pg_get_native_query` and `pg_get_logical_model`: the objects of a source as the metadata has them. */
import { GetLogicalModels, GetNativeQueries } from '@joinery/metadata/api/sources/catalog';
import type { Metadata } from '@joinery/metadata/metadata';
import type { SourceName } from '@joinery/metadata/names';
import type { Source } from '@joinery/metadata/schema/sources';
import { ServiceError } from '../../../base/errors.ts';
import type { CommandResult, ServiceCommand } from '../../metadata/command-context.ts';
import { showCommand } from '../command.ts';

export const getNativeQueries: ServiceCommand<CommandResult<'get_native_query'>> = showCommand(
  GetNativeQueries,
  async ({ source }, { state }) => sourceNamed(state.metadata, source).native_queries ?? [],
);

export const getLogicalModels: ServiceCommand<CommandResult<'get_logical_model'>> = showCommand(
  GetLogicalModels,
  async ({ source }, { state }) => sourceNamed(state.metadata, source).logical_models ?? [],
);

function sourceNamed({ sources }: Metadata, name: SourceName): Source {
  const source = sources.find((one) => one.name === name);
  if (source !== undefined) return source;
  throw new ServiceError('not-exists', `source with name "${name}" does not exist`, { path: '$.args.source' });
}
