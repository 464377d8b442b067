/** What is known of remote schemas: `introspect_remote_schema` and `get_remote_schema_status`. */
import { parseArguments } from '@joinery/metadata/commands/edit/arguments';
import { RemoteSchemaName } from '@joinery/metadata/names';
import type { RemoteSchema } from '@joinery/metadata/schema/remote-schemas';
import { z } from 'zod';
import { ServiceError } from '../../base/errors.ts';
import { introspectionOf } from '../../model/remote/introspection.ts';
import { within } from '../metadata/apply-edit.ts';
import { metadataApis, type ServiceCommand } from '../metadata/command-context.ts';
import { isSaid } from '../metadata/remote-introspection.ts';
import type { State } from '../metadata/state.ts';

/** Answers as the remote schema itself answers to an introspection, with what is known of it here. */
export const introspectRemoteSchema: ServiceCommand = {
  apis: metadataApis,
  changes: () => false,
  run: async ({ args }, progress) => {
    const { name } = within(() => parseArguments(z.strictObject({ name: RemoteSchemaName }), args));
    const { upstreams } = progress.state.world;
    named(name, progress.state);
    const upstream = upstreams.get(name);
    if (isSaid(upstream)) return { progress, answer: { data: introspectionOf(upstream) } };
    throw (upstream ?? notRead(name)).under('$.args');
  },
};

const StatusArguments = z
  .strictObject({ name: RemoteSchemaName.optional() })
  .nullish()
  .transform((args) => args ?? {});

/** Of each remote schema, or the named one, whether what it offers is known as of now, from before, or not at all. */
export const getRemoteSchemaStatus: ServiceCommand = {
  apis: metadataApis,
  changes: () => false,
  run: async ({ args }, progress) => {
    const { name } = within(() => parseArguments(StatusArguments, args));
    const all = progress.state.metadata.remote_schemas ?? [];
    const asked = name === undefined ? all : [named(name, progress.state)];
    return { progress, answer: { remote_schemas: asked.map((one) => statusOf(one.name, progress.state)) } };
  },
};

function statusOf(name: RemoteSchemaName, { world }: State): Readonly<Record<string, unknown>> {
  const upstream = world.upstreams.get(name);
  const reading = world.readings.get(name);
  const problem = isSaid(upstream) ? reading?.problem : (upstream ?? notRead(name));
  return {
    name,
    status: problem === undefined ? 'current' : isSaid(upstream) ? 'stale' : 'unavailable',
    read_at: reading?.readAt ?? null,
    ...(problem && { problem: { code: problem.code, message: problem.message } }),
  };
}

function named(name: RemoteSchemaName, { metadata }: State): RemoteSchema {
  const written = metadata.remote_schemas?.find((one) => one.name === name);
  if (written !== undefined) return written;
  throw new ServiceError('not-exists', `remote schema with name "${name}" does not exist`, { path: '$.args.name' });
}

function notRead(name: RemoteSchemaName): ServiceError {
  return new ServiceError('remote-schema-error', `remote schema "${name}" has not been read yet; reload it`);
}
