/** What the tools of Hasura v2 read about the service: its kinds of sources, and its state for debugging. */
import { GetSourceKindCapabilities } from '@joinery/metadata/api/hasura-tools';
import { NoArguments } from '@joinery/metadata/api/metadata';
import { exportMetadata } from '@joinery/metadata/document/export';
import { ServiceError } from '../../../base/errors.ts';
import type { CommandResult, ServiceCommand } from '../../metadata/command-context.ts';
import { writeInconsistencies } from '../../metadata/inconsistencies.ts';
import { readCommand } from '../command.ts';

const kinds = [
  { kind: 'postgres', display_name: 'PostgreSQL', builtin: true, available: true },
  { kind: 'citus', display_name: 'Citus', builtin: true, available: true },
  { kind: 'cockroach', display_name: 'CockroachDB', builtin: true, available: true },
  { kind: 'alloy', display_name: 'AlloyDB', builtin: true, available: true },
] as const;

export const listSourceKinds: ServiceCommand<CommandResult<'list_source_kinds'>> = readCommand(NoArguments, () => ({
  sources: kinds,
}));

/** Capabilities are those of agents of data connectors, and there are none. */
export const getSourceKindCapabilities: ServiceCommand<CommandResult<'get_source_kind_capabilities'>> = readCommand(
  GetSourceKindCapabilities,
  ({ name }) => {
    const path = '$.args.name';
    if (kinds.some(({ kind }) => kind === name)) {
      throw new ServiceError('not-supported', `the kind "${name}" is built in and is not an agent`, { path });
    }
    throw new ServiceError('not-exists', `no kind of sources has the name "${name}"`, { path });
  },
);

export const dumpInternalState: ServiceCommand<CommandResult<'dump_internal_state'>> = readCommand(
  NoArguments,
  (_args, { state }) => ({
    resource_version: state.version,
    metadata: exportMetadata(state.metadata),
    inconsistent_objects: writeInconsistencies(state.model.inconsistencies),
    roles: [...state.model.roles],
    sources: Object.fromEntries(
      [...state.model.sources].map(([name, { tables }]) => [name, { tables: [...tables.keys()] }]),
    ),
  }),
);
