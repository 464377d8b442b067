/** `introspect_remote_schema` and `get_remote_schema_status`. */

import {
  GetRemoteSchemaStatus,
  IntrospectRemoteSchema,
  type RemoteSchemaStatus,
} from '@joinery/metadata/api/remote-schemas';
import type { RemoteSchemaName } from '@joinery/metadata/names';
import type { RemoteSchema } from '@joinery/metadata/schema/remote-schemas';
import { ServiceError } from '../../base/errors.ts';
import { introspectionOf } from '../../model/remote/introspection.ts';
import type { CommandResult, ServiceCommand } from '../metadata/command-context.ts';
import { isIntrospected } from '../metadata/remote-introspection.ts';
import type { State } from '../metadata/state.ts';
import { readCommand } from './command.ts';

/** Returns the introspection result of the remote schema as the service knows it. */
export const introspectRemoteSchema: ServiceCommand<CommandResult<'introspect_remote_schema'>> = readCommand(
  IntrospectRemoteSchema,
  ({ name }, { state }) => {
    findRemote(name, state);
    const upstream = state.external.upstreams.get(name);
    if (isIntrospected(upstream)) return { data: introspectionOf(upstream) };
    throw (upstream ?? notIntrospected(name)).under('$.args');
  },
);

/** Returns whether the schema of each remote schema, or the named one, is current, stale or unavailable. */
export const getRemoteSchemaStatus: ServiceCommand<CommandResult<'get_remote_schema_status'>> = readCommand(
  GetRemoteSchemaStatus,
  ({ name }, { state }) => {
    const remotes = name === undefined ? (state.metadata.remote_schemas ?? []) : [findRemote(name, state)];
    return { remote_schemas: remotes.map((one) => statusOf(one.name, state)) };
  },
);

function statusOf(name: RemoteSchemaName, { external }: State): RemoteSchemaStatus {
  const upstream = external.upstreams.get(name);
  const reading = external.readings.get(name);
  const problem = isIntrospected(upstream) ? reading?.problem : (upstream ?? notIntrospected(name));
  return {
    name,
    status: problem === undefined ? 'current' : isIntrospected(upstream) ? 'stale' : 'unavailable',
    read_at: reading?.readAt ?? null,
    ...(problem && { problem: { code: problem.code, message: problem.message } }),
  };
}

function findRemote(name: RemoteSchemaName, { metadata }: State): RemoteSchema {
  const written = metadata.remote_schemas?.find((one) => one.name === name);
  if (written !== undefined) return written;
  throw new ServiceError('not-exists', `remote schema with name "${name}" does not exist`, { path: '$.args.name' });
}

function notIntrospected(name: RemoteSchemaName): ServiceError {
  return new ServiceError('remote-schema-error', `remote schema "${name}" has not been introspected yet; reload it`);
}
