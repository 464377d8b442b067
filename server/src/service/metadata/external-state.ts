/** Reads what is outside of the metadata: the catalogs of sources and the schemas of remote services. */
import type { Metadata } from '@joinery/metadata/metadata';
import type { RemoteSchemaName, SourceName } from '@joinery/metadata/names';
import type { RemoteSchema } from '@joinery/metadata/schema/remote-schemas';
import { isSupportedSource, type Source } from '@joinery/metadata/schema/sources';
import type { Environment } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import type { HttpClient } from '../../base/http-client/http-client.ts';
import { printJson } from '../../base/json-value.ts';
import { probeOf } from '../../model/native-queries/probe.ts';
import type { IntrospectionStore } from '../../model/remote/introspection-store.ts';
import { readCatalog } from '../../postgres/catalog/catalog.ts';
import type { RelationName } from '../../postgres/catalog/catalog-row.ts';
import type { Catalog } from '../../postgres/catalog/catalog-types.ts';
import { type EnumTableName, knowsEnums, withEnumValues } from '../../postgres/catalog/enum-values.ts';
import { readProduct } from '../../postgres/catalog/product.ts';
import { readQueryShapes } from '../../postgres/catalog/query-columns.ts';
import { describeFailure } from '../../postgres/client/connection-failure.ts';
import { fromPostgres, isPostgresError } from '../../postgres/sql/errors.ts';
import type { SourceDatabases } from '../sources/pools.ts';
import { type RemoteRead, readRemote, readRemoteOrStored, sameWhereEqual } from './remote-introspection.ts';
import type { CatalogRead, ExternalState } from './state.ts';
import type { UnitOfWork } from './unit-of-work.ts';

export interface ExternalStateTools {
  readonly sources: SourceDatabases;
  readonly httpClient: HttpClient;
  readonly environment: Environment;
  /** Stores introspection results; without it they are not stored. */
  readonly introspections?: IntrospectionStore;
  /** Whether the SQL of native queries is validated by the database. True unless given. */
  readonly validateNativeQueries?: boolean;
}

/**
 * Reads the catalog of a source, in the transaction of `unit` where one is open. With `only` it reads one relation, without
 * the values of enums.
 */
export async function readSource(
  source: Source,
  tools: ExternalStateTools,
  unit?: UnitOfWork,
  only?: RelationName,
): Promise<CatalogRead> {
  if (!isSupportedSource(source)) return new ServiceError('not-supported', unsupportedKind(source));
  try {
    const database = tools.sources.of(source);
    const inside = unit?.isOpen() ? { ...database, query: await unit.query(database) } : database;
    const catalog = await readCatalog(inside, only);
    if (only !== undefined) return catalog;
    const complete = await withEnumValues(catalog, enumTablesOf(source), inside);
    const probes = probesOf(source, catalog);
    if (probes.length === 0) return complete;
    if (tools.validateNativeQueries === false) {
      return { ...complete, queries: new Map(probes.map((probe) => [probe, { kind: 'unchecked' }])) };
    }
    return { ...complete, queries: await readQueryShapes(probes, inside, unit?.isOpen() ?? false) };
  } catch (error) {
    return withProduct(withCause(fromPostgres(error)), source, tools);
  }
}

/** Adds the product of the server to an error of its catalog, which may differ from that of PostgreSQL. */
async function withProduct(
  error: ServiceError,
  source: Source,
  { sources }: ExternalStateTools,
): Promise<ServiceError> {
  if (error.code === 'busy' || !isPostgresError(error.cause)) return error;
  const product = await readProduct(sources.of(source).query).catch(() => undefined);
  if (product === undefined) return error;
  const message = `the catalog of ${product} cannot be read as that of PostgreSQL: ${error.cause.message}. See /docs/databases`;
  return new ServiceError(error.code, message, { path: error.path, internal: error.internal, cause: error.cause });
}

/** The errors of sources are shown to admins alone: they name the cause. */
function withCause(error: ServiceError): ServiceError {
  if (error.code !== 'busy' || error.cause === undefined) return error;
  const { cause, advice } = describeFailure(error);
  const message = `the database is not reachable: ${cause}. ${advice}`;
  return new ServiceError('busy', message, { path: error.path, internal: error.internal, cause: error.cause });
}

function unsupportedKind({ kind }: Source): string {
  return `sources of kind "${kind}" are not supported; the metadata of this source is stored and has no effect`;
}

function enumTablesOf(source: Source): readonly EnumTableName[] {
  return source.tables.filter(({ is_enum }) => is_enum === true).map(({ table }) => table);
}

/** The statements that validate the native queries of the source. */
function probesOf(source: Source, catalog: Catalog): readonly string[] {
  return (source.native_queries ?? []).flatMap((query) => probeOf(query, catalog) ?? []);
}

/** Whether the catalog was read with the values of the source's enum tables and the columns of its native queries. */
export function isReadFor(read: CatalogRead | undefined, source: Source): boolean {
  if (read === undefined || read instanceof ServiceError) return true;
  return knowsEnums(read, enumTablesOf(source)) && probesOf(source, read).every((probe) => read.queries?.has(probe));
}

/** What to read again; the rest is taken from the previous external state, as far as it is known. */
export interface RereadSelection {
  readonly sources: (source: Source) => boolean;
  readonly remotes: (remote: RemoteSchema) => boolean;
}

export interface ReadingOptions {
  /** Databases are read in its transactions. */
  readonly unit?: UnitOfWork;
  /** See `readRemote`. */
  readonly remoteLimitMs?: number;
  /** Whether a remote schema that cannot be introspected is an error although an earlier result is stored. */
  readonly requireIntrospection?: boolean;
}

/** Reads the sources and remote schemas of `metadata`, all at the same time. A failure is stored as its error. */
export async function readExternalState(
  metadata: Metadata,
  before: ExternalState,
  selection: RereadSelection,
  tools: ExternalStateTools,
  { unit, remoteLimitMs, requireIntrospection = false }: ReadingOptions = {},
): Promise<ExternalState> {
  const catalogs = metadata.sources.map(async (source): Promise<[SourceName, CatalogRead]> => {
    const known = before.catalogs.get(source.name);
    return [
      source.name,
      known === undefined || selection.sources(source) || !isReadFor(known, source)
        ? await readSource(source, tools, unit)
        : known,
    ];
  });
  const read = requireIntrospection ? readRemote : readRemoteOrStored;
  const remotes = (metadata.remote_schemas ?? []).map(async (remote): Promise<[RemoteSchemaName, RemoteRead]> => {
    const upstream = before.upstreams.get(remote.name);
    return [
      remote.name,
      upstream === undefined || selection.remotes(remote)
        ? sameWhereEqual(upstream, await read(remote, tools, remoteLimitMs))
        : { upstream, reading: before.readings.get(remote.name) },
    ];
  });
  const catalogsRead = new Map(await Promise.all(catalogs));
  const { captureFailures = new Map() } = before;
  return withReads({ ...emptyExternalState, catalogs: catalogsRead, captureFailures }, await Promise.all(remotes));
}

export const emptyExternalState: ExternalState = { catalogs: new Map(), upstreams: new Map(), readings: new Map() };

/** Returns the external state with new results of some remote schemas. */
export function withReads(
  external: ExternalState,
  reads: Iterable<readonly [RemoteSchemaName, RemoteRead]>,
): ExternalState {
  const upstreams = new Map(external.upstreams);
  const readings = new Map(external.readings);
  for (const [name, { upstream, reading }] of reads) {
    upstreams.set(name, upstream);
    if (reading === undefined) readings.delete(name);
    else readings.set(name, reading);
  }
  return { ...external, upstreams, readings };
}

/** Selects what has another configuration than in `before`, and what could not be read the last time. */
export function changedParts(before: Metadata, external: ExternalState): RereadSelection {
  const sources = new Map(before.sources.map((source) => [source.name, printJson(source.configuration ?? null)]));
  const remotes = new Map((before.remote_schemas ?? []).map((one) => [one.name, printJson(one.definition)]));
  return {
    sources: (source) =>
      external.catalogs.get(source.name) instanceof ServiceError ||
      sources.get(source.name) !== printJson(source.configuration ?? null),
    remotes: (remote) =>
      external.upstreams.get(remote.name) instanceof ServiceError ||
      remotes.get(remote.name) !== printJson(remote.definition),
  };
}
