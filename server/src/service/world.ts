/** Reading what lies outside of the metadata: the catalogs of the sources, the schemas of the remote services. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Metadata } from '@joinery/metadata/metadata';
import type { RemoteSchemaName, SourceName } from '@joinery/metadata/names';
import type { RemoteSchema } from '@joinery/metadata/remotes';
import { isSpoken, type Source } from '@joinery/metadata/tables';
import type { Environment } from '../base/environment.ts';
import { ServiceError, toServiceError } from '../base/errors.ts';
import { printJson } from '../base/json.ts';
import type { Outbound } from '../base/outbound.ts';
import { introspect } from '../model/upstream.ts';
import { readCatalog } from '../postgres/catalog.ts';
import { type EnumTableName, knowsEnums, withEnumValues } from '../postgres/enum-values.ts';
import { fromPostgres } from '../postgres/errors.ts';
import type { SourceDatabases } from './sources.ts';
import type { CatalogRead, Upstream, World } from './state.ts';
import type { Unit } from './unit.ts';

export interface WorldTools {
  readonly sources: SourceDatabases;
  readonly outbound: Outbound;
  readonly environment: Environment;
}

/** What is committed, or what the transactions of `unit` see where it has begun any. */
export async function readSource(source: Source, tools: WorldTools, unit?: Unit): Promise<CatalogRead> {
  if (!isSpoken(source)) return new ServiceError('not-supported', notSpoken(source));
  try {
    const database = tools.sources.of(source);
    const inside = unit?.isOpen() ? { ...database, query: await unit.query(database) } : database;
    return await withEnumValues(await readCatalog(inside), enumTablesOf(source), inside);
  } catch (error) {
    return fromPostgres(error);
  }
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

/** `limitMs`: how long to wait for an answer, where nobody has asked for it; without it, as its own settings say. */
export async function readRemote(remote: RemoteSchema, tools: WorldTools, limitMs?: number): Promise<Upstream> {
  const reading = introspect(remote.definition, tools).catch(toServiceError);
  if (limitMs === undefined) return reading;
  const late = new AbortController();
  const message = `it has not answered within ${limitMs / 1000} s; it is asked again in the background`;
  const lateness = sleep(limitMs, new ServiceError('remote-schema-error', message), { signal: late.signal });
  return Promise.race([reading, lateness.catch(toServiceError)]).finally(() => late.abort());
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
}

/** The world that `metadata` names. All reading happens at the same time; what fails is kept as its error. */
export async function readWorld(
  metadata: Metadata,
  before: World,
  rereading: Rereading,
  tools: WorldTools,
  { unit, remoteLimitMs }: ReadingOptions = {},
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
  const upstreams = (metadata.remote_schemas ?? []).map(async (remote): Promise<[RemoteSchemaName, Upstream]> => {
    const known = before.upstreams.get(remote.name);
    return [
      remote.name,
      known === undefined || rereading.remotes(remote) ? await readRemote(remote, tools, remoteLimitMs) : known,
    ];
  });
  return { catalogs: new Map(await Promise.all(catalogs)), upstreams: new Map(await Promise.all(upstreams)) };
}

export const emptyWorld: World = { catalogs: new Map(), upstreams: new Map() };

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
