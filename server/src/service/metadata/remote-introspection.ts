/** Introspects remote schemas, and decides which result applies where that fails. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RemoteSchemaName } from '@joinery/metadata/names';
import type { RemoteSchema } from '@joinery/metadata/schema/remote-schemas';
import type { Environment } from '../../base/environment.ts';
import { ServiceError, toServiceError } from '../../base/errors.ts';
import type { HttpClient } from '../../base/http-client/http-client.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import { introspect } from '../../model/remote/introspection.ts';
import { fingerprint, type IntrospectionStore, originOf } from '../../model/remote/introspection-store.ts';
import type { ExternalState, Introspection, IntrospectionResult, State } from './state.ts';

export interface RemoteTools {
  readonly httpClient: HttpClient;
  readonly environment: Environment;
  readonly introspections?: IntrospectionStore;
}

export interface RemoteRead {
  readonly upstream: IntrospectionResult;
  /** Undefined where the schema is not known. */
  readonly reading: Introspection | undefined;
}

type Introspected = Exclude<IntrospectionResult, ServiceError>;

export function isIntrospected(upstream: IntrospectionResult | undefined): upstream is Introspected {
  return upstream !== undefined && !(upstream instanceof ServiceError);
}

/** Introspects the remote schema within `limitMs`; without it, within the timeout of the remote schema. */
export async function readRemote(remote: RemoteSchema, tools: RemoteTools, limitMs?: number): Promise<RemoteRead> {
  const upstream = await introspectWithin(remote, tools, limitMs);
  return { upstream, reading: isIntrospected(upstream) ? { readAt: new Date().toISOString() } : undefined };
}

/** As `readRemote`; where that fails, the stored result applies. */
export async function readRemoteOrStored(
  remote: RemoteSchema,
  tools: RemoteTools,
  limitMs?: number,
): Promise<RemoteRead> {
  const read = await readRemote(remote, tools, limitMs);
  if (isIntrospected(read.upstream) || tools.introspections === undefined) return read;
  try {
    const stored = await tools.introspections.find(remote.name, originOf(remote.definition, tools.environment));
    if (stored === undefined) return read;
    return { upstream: stored.schema, reading: { readAt: stored.readAt, problem: read.upstream } };
  } catch {
    // The failure of the introspection is more useful than that of the store.
    return read;
  }
}

async function introspectWithin(
  remote: RemoteSchema,
  tools: RemoteTools,
  limitMs: number | undefined,
): Promise<IntrospectionResult> {
  const introspection = introspect(remote.definition, tools).catch(toServiceError);
  if (limitMs === undefined) return introspection;
  const timer = new AbortController();
  const message = `no response within ${limitMs / 1000} s; the introspection is tried again in the background`;
  const timeout = sleep(limitMs, new ServiceError('remote-schema-error', message), { signal: timer.signal });
  return Promise.race([introspection, timeout.catch(toServiceError)]).finally(() => timer.abort());
}

/** Whether the schema is unknown, or is an earlier one because the last introspection failed. */
export function isStale({ upstreams, readings }: ExternalState, name: RemoteSchemaName): boolean {
  return !isIntrospected(upstreams.get(name)) || readings.get(name)?.problem !== undefined;
}

/** Keeps the known schema object where the result is equal, so that what is cached for it stays valid. */
export function sameWhereEqual(known: IntrospectionResult | undefined, read: RemoteRead): RemoteRead {
  if (!isIntrospected(known) || !isIntrospected(read.upstream)) return read;
  return fingerprint(known) === fingerprint(read.upstream) ? { ...read, upstream: known } : read;
}

/** Returns the known schema where the introspection failed; undefined where it succeeded or no schema was known. */
export function lastKnown(name: RemoteSchemaName, before: ExternalState, after: ExternalState): RemoteRead | undefined {
  const known = before.upstreams.get(name);
  const problem = after.upstreams.get(name);
  if (!isIntrospected(known) || !(problem instanceof ServiceError)) return undefined;
  return { upstream: known, reading: { readAt: before.readings.get(name)?.readAt ?? '', problem } };
}

/** Logs which remote schemas became unreachable or reachable, or changed. */
export function logIntrospectionChanges(
  before: ExternalState | undefined,
  after: ExternalState,
  observe: Observe,
): void {
  for (const [name, { readAt, problem }] of after.readings) {
    const known = before?.upstreams.get(name);
    const earlierProblem = before?.readings.get(name)?.problem;
    const where = `remote schema "${name}"`;
    const note = (level: 'info' | 'warn', message: string) => observe({ kind: 'note', level, where, message });
    if (problem !== undefined && earlierProblem === undefined) {
      note('warn', `introspection failed, the schema of ${readAt} stays in use: ${problem.message}`);
    }
    if (problem === undefined && earlierProblem !== undefined) note('info', 'introspection succeeds again');
    if (isIntrospected(known) && known !== after.upstreams.get(name)) note('info', 'the schema has changed');
  }
}

/**
 * Stores the introspection results that are new since `before`. Resolves to whether any differs from what was stored. A
 * failure is reported, and the result is stored the next time.
 */
export async function storeIntrospections(
  before: State | undefined,
  { metadata, external }: State,
  { introspections, environment, observe }: RemoteTools & { readonly observe: Observe },
): Promise<boolean> {
  if (introspections === undefined) return false;
  let changed = false;
  try {
    for (const { name, definition } of metadata.remote_schemas ?? []) {
      const reading = external.readings.get(name);
      const upstream = external.upstreams.get(name);
      const isNew =
        reading !== undefined && reading.problem === undefined && reading !== before?.external.readings.get(name);
      if (!isNew || !isIntrospected(upstream)) continue;
      if (await introspections.save(name, originOf(definition, environment), upstream)) changed = true;
    }
    const names = (metadata.remote_schemas ?? []).map(({ name }) => name);
    if (before?.metadata.remote_schemas?.some(({ name }) => !names.includes(name))) await introspections.retain(names);
  } catch (error) {
    observe({ kind: 'failure', where: 'storing introspection results', error });
  }
  return changed;
}
