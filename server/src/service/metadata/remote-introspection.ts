/** Asking remote schemas what they offer, and what holds where they cannot be asked. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RemoteSchemaName } from '@joinery/metadata/names';
import type { RemoteSchema } from '@joinery/metadata/schema/remote-schemas';
import type { Environment } from '../../base/environment.ts';
import { ServiceError, toServiceError } from '../../base/errors.ts';
import type { HttpClient } from '../../base/http-client/http-client.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import { introspect } from '../../model/remote/introspection.ts';
import { fingerprint, type IntrospectionStore, originOf } from '../../model/remote/introspection-store.ts';
import type { Reading, State, Upstream, World } from './state.ts';

export interface RemoteTools {
  readonly httpClient: HttpClient;
  readonly environment: Environment;
  readonly introspections?: IntrospectionStore;
}

export interface RemoteRead {
  readonly upstream: Upstream;
  /** Undefined where nothing is known of it. */
  readonly reading: Reading | undefined;
}

type Said = Exclude<Upstream, ServiceError>;

/** Did the remote schema say what it offers? */
export function isSaid(upstream: Upstream | undefined): upstream is Said {
  return upstream !== undefined && !(upstream instanceof ServiceError);
}

/** `limitMs`: how long to wait for an answer, where nobody has asked for it; without it, as its own settings say. */
export async function readRemote(remote: RemoteSchema, tools: RemoteTools, limitMs?: number): Promise<RemoteRead> {
  const upstream = await ask(remote, tools, limitMs);
  return { upstream, reading: isSaid(upstream) ? { readAt: new Date().toISOString() } : undefined };
}

/** The same; what was stored of it holds where it cannot be asked. */
export async function readRemoteOrStored(
  remote: RemoteSchema,
  tools: RemoteTools,
  limitMs?: number,
): Promise<RemoteRead> {
  const asked = await readRemote(remote, tools, limitMs);
  if (isSaid(asked.upstream) || tools.introspections === undefined) return asked;
  try {
    const stored = await tools.introspections.find(remote.name, originOf(remote.definition, tools.environment));
    if (stored === undefined) return asked;
    return { upstream: stored.schema, reading: { readAt: stored.readAt, problem: asked.upstream } };
  } catch {
    // Why it could not be asked matters more than why the store could not.
    return asked;
  }
}

async function ask(remote: RemoteSchema, tools: RemoteTools, limitMs: number | undefined): Promise<Upstream> {
  const asking = introspect(remote.definition, tools).catch(toServiceError);
  if (limitMs === undefined) return asking;
  const late = new AbortController();
  const message = `it has not answered within ${limitMs / 1000} s; it is asked again in the background`;
  const lateness = sleep(limitMs, new ServiceError('remote-schema-error', message), { signal: late.signal });
  return Promise.race([asking, lateness.catch(toServiceError)]).finally(() => late.abort());
}

/** Is it unknown what this remote schema offers, or known from before alone? */
export function isUnsure({ upstreams, readings }: World, name: RemoteSchemaName): boolean {
  return !isSaid(upstreams.get(name)) || readings.get(name)?.problem !== undefined;
}

/** The very schema that was known where the remote schema says the same again. */
export function sameWhereEqual(known: Upstream | undefined, read: RemoteRead): RemoteRead {
  if (!isSaid(known) || !isSaid(read.upstream)) return read;
  return fingerprint(known) === fingerprint(read.upstream) ? { ...read, upstream: known } : read;
}

/** What was known of a remote schema, where it cannot be asked any more; undefined where it can, or was not known. */
export function heldOn(name: RemoteSchemaName, before: World, after: World): RemoteRead | undefined {
  const known = before.upstreams.get(name);
  const problem = after.upstreams.get(name);
  if (!isSaid(known) || !(problem instanceof ServiceError)) return undefined;
  return { upstream: known, reading: { readAt: before.readings.get(name)?.readAt ?? '', problem } };
}

/** Tells the log which remote schemas went out of reach, came back, or offer something else. */
export function tellReadings(before: World | undefined, after: World, observe: Observe): void {
  for (const [name, { readAt, problem }] of after.readings) {
    const known = before?.upstreams.get(name);
    const lost = before?.readings.get(name)?.problem;
    const where = `remote schema "${name}"`;
    const note = (level: 'info' | 'warn', message: string) => observe({ kind: 'note', level, where, message });
    if (problem !== undefined && lost === undefined) {
      note('warn', `it cannot be read, what it offered at ${readAt} holds on: ${problem.message}`);
    }
    if (problem === undefined && lost !== undefined) note('info', 'it can be read again');
    if (isSaid(known) && known !== after.upstreams.get(name)) note('info', 'it offers something else than before');
  }
}

/**
 * Stores what remote schemas have said since `before`. Resolves to whether any of it is something else than what was
 * stored. What cannot be stored is told, and stored the next time.
 */
export async function keepReadings(
  before: State | undefined,
  { metadata, world }: State,
  { introspections, environment, observe }: RemoteTools & { readonly observe: Observe },
): Promise<boolean> {
  if (introspections === undefined) return false;
  let changed = false;
  try {
    for (const { name, definition } of metadata.remote_schemas ?? []) {
      const reading = world.readings.get(name);
      const upstream = world.upstreams.get(name);
      const isNew =
        reading !== undefined && reading.problem === undefined && reading !== before?.world.readings.get(name);
      if (!isNew || !isSaid(upstream)) continue;
      if (await introspections.save(name, originOf(definition, environment), upstream)) changed = true;
    }
    const names = (metadata.remote_schemas ?? []).map(({ name }) => name);
    if (before?.metadata.remote_schemas?.some(({ name }) => !names.includes(name))) await introspections.retain(names);
  } catch (error) {
    observe({ kind: 'failure', where: 'storing what remote schemas offer', error });
  }
  return changed;
}
