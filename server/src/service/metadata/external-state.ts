/** Reading what lies outside of the metadata: the catalogs of the sources, the schemas of the remote services. */
import type { Metadata } from '@joinery/metadata/metadata';
import type { RemoteSchemaName, SourceName } from '@joinery/metadata/names';
import type { RemoteSchema } from '@joinery/metadata/schema/remote-schemas';
import { isSupportedSource, type Source } from '@joinery/metadata/schema/sources';
import type { Environment } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import type { HttpClient } from '../../base/http-client/http-client.ts';
import { printJson } from '../../base/json-value.ts';
import type { IntrospectionStore } from '../../model/remote/introspection-store.ts';
import { readCatalog } from '../../postgres/catalog/catalog.ts';
import type { RelationName } from '../../postgres/catalog/catalog-row.ts';
import { type EnumTableName, knowsEnums, withEnumValues } from '../../postgres/catalog/enum-values.ts';
import { describeFailure } from '../../postgres/client/connection-failure.ts';
import { fromPostgres } from '../../postgres/sql/errors.ts';
import type { SourceDatabases } from '../sources/pools.ts';
import { type RemoteRead, readRemote, readRemoteOrStored, sameWhereEqual } from './remote-introspection.ts';
import type { CatalogRead, World } from './state.ts';
import type { Unit } from './unit-of-work.ts';

export interface WorldTools {
  readonly sources: SourceDatabases;
  readonly httpClient: HttpClient;
  readonly environment: Environment;
  /** Where what remote schemas said of themselves is kept; it is not kept without one. */
  readonly introspections?: IntrospectionStore;
}

/**
 * What is committed, or what the transactions of `unit` see where it has begun any. With `only` as `readCatalog` reads one
 * relation, without the values of enums.
 */
export async function readSource(
  source: Source,
  tools: WorldTools,
  unit?: Unit,
  only?: RelationName,
): Promise<CatalogRead> {
  if (!isSupportedSource(source)) return new ServiceError('not-supported', notSpoken(source));
  try {
    const database = tools.sources.of(source);
    const inside = unit?.isOpen() ? { ...database, query: await unit.query(database) } : database;
    const catalog = await readCatalog(inside, only);
    return only === undefined ? await withEnumValues(catalog, enumTablesOf(source), inside) : catalog;
  } catch (error) {
    return withCause(fromPostgres(error));
  }
}

/** The errors of sources are shown to admins alone: they name the cause. */
function withCause(error: ServiceError): ServiceError {
  if (error.code !== 'busy' || error.cause === undefined) return error;
  const { cause, advice } = describeFailure(error);
  const message = `the database is not reachable: ${cause}. ${advice}`;
  return new ServiceError('busy', message, { path: error.path, internal: error.internal, cause: error.cause });
}

function notSpoken({ kind }: Source): string {
  return `sources of kind "${kind}" are not supported; what is written of this one is kept and has no effect`;
}

function enumTablesOf(source: Source): readonly EnumTableName[] {
  return source.tables.filter(({ is_enum }) => is_enum === true).map(({ table }) => table);
}

/** Were the enum tables of the source read with its catalog? */
export function hasEnums(read: CatalogRead | undefined, source: Source): boolean {
  return read === undefined || read instanceof ServiceError || knowsEnums(read, enumTablesOf(source));
}

/** What to read anew; the rest is taken over from the world before, as far as it is there. */
export interface Rereading {
  readonly sources: (source: Source) => boolean;
  readonly remotes: (remote: RemoteSchema) => boolean;
}

export interface ReadingOptions {
  /** In whose transactions to look at databases. */
  readonly unit?: Unit;
  /** See `readRemote`. */
  readonly remoteLimitMs?: number;
  /** Remote schemas that cannot be asked are errors, also where it is stored what they said. */
  readonly onlyAsked?: boolean;
}

/** The world that `metadata` names. All reading happens at the same time; what fails is kept as its error. */
export async function readWorld(
  metadata: Metadata,
  before: World,
  rereading: Rereading,
  tools: WorldTools,
  { unit, remoteLimitMs, onlyAsked = false }: ReadingOptions = {},
): Promise<World> {
  const catalogs = metadata.sources.map(async (source): Promise<[SourceName, CatalogRead]> => {
    const known = before.catalogs.get(source.name);
    return [
      source.name,
      known === undefined || rereading.sources(source) || !hasEnums(known, source)
        ? await readSource(source, tools, unit)
        : known,
    ];
  });
  const read = onlyAsked ? readRemote : readRemoteOrStored;
  const remotes = (metadata.remote_schemas ?? []).map(async (remote): Promise<[RemoteSchemaName, RemoteRead]> => {
    const upstream = before.upstreams.get(remote.name);
    return [
      remote.name,
      upstream === undefined || rereading.remotes(remote)
        ? sameWhereEqual(upstream, await read(remote, tools, remoteLimitMs))
        : { upstream, reading: before.readings.get(remote.name) },
    ];
  });
  const catalogsRead = new Map(await Promise.all(catalogs));
  return withReads({ ...emptyWorld, catalogs: catalogsRead }, await Promise.all(remotes));
}

export const emptyWorld: World = { catalogs: new Map(), upstreams: new Map(), readings: new Map() };

/** The world with what was read of some remote schemas. */
export function withReads(world: World, reads: Iterable<readonly [RemoteSchemaName, RemoteRead]>): World {
  const upstreams = new Map(world.upstreams);
  const readings = new Map(world.readings);
  for (const [name, { upstream, reading }] of reads) {
    upstreams.set(name, upstream);
    if (reading === undefined) readings.delete(name);
    else readings.set(name, reading);
  }
  return { ...world, upstreams, readings };
}

/** Whether the two metadata name different places for what has this name, or the last reading failed. */
export function changedParts(before: Metadata, world: World): Rereading {
  const sources = new Map(before.sources.map((source) => [source.name, printJson(source.configuration ?? null)]));
  const remotes = new Map((before.remote_schemas ?? []).map((one) => [one.name, printJson(one.definition)]));
  return {
    sources: (source) =>
      world.catalogs.get(source.name) instanceof ServiceError ||
      sources.get(source.name) !== printJson(source.configuration ?? null),
    remotes: (remote) =>
      world.upstreams.get(remote.name) instanceof ServiceError ||
      remotes.get(remote.name) !== printJson(remote.definition),
  };
}
