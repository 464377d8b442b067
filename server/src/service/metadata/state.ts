/** A state of the service: the metadata, the external state, and the model resolved from both. */

import { isDeepStrictEqual } from 'node:util';
import { exportMetadata } from '@joinery/metadata/document/export';
import { sortMetadata } from '@joinery/metadata/document/sort';
import type { Metadata } from '@joinery/metadata/metadata';
import type { RemoteSchemaName, SourceName } from '@joinery/metadata/names';
import type { Environment } from '../../base/environment.ts';
import type { ServiceError } from '../../base/errors.ts';
import { runInSlices, type Steps } from '../../base/steps.ts';
import type { Model } from '../../model/model.ts';
import { type RecordedCatalogs, recordCatalogs } from '../../model/recorded-catalogs.ts';
import { resolveSteps } from '../../model/resolve.ts';
import type { ResolveInput } from '../../model/types/draft.ts';
import type { NamingConvention } from '../../model/types/naming.ts';
import { sharedTypeConflicts } from '../../schema/remote/shared-types.ts';
import { targetInconsistencies } from '../event-targets/inconsistencies.ts';
import { type CaptureFailures, captureInconsistencies } from './capture-inconsistencies.ts';
import { storedOperationInconsistencies } from './stored-operations.ts';
import { storedText } from './stored-text.ts';

/** The schema of a remote schema, or the error of its introspection. */
export type IntrospectionResult =
  ResolveInput['upstreams'] extends ReadonlyMap<RemoteSchemaName, infer Read> ? Read : never;

/** The catalog of a source, or the error of reading it. */
export type CatalogRead = ResolveInput['catalogs'] extends ReadonlyMap<SourceName, infer Read> ? Read : never;

/** When a remote schema was introspected. */
export interface Introspection {
  /** ISO 8601. */
  readonly readAt: string;
  /** Why later introspections failed. */
  readonly problem?: ServiceError;
}

/** Catalogs of sources and schemas of remote services. */
export interface ExternalState {
  readonly catalogs: ReadonlyMap<SourceName, CatalogRead>;
  readonly upstreams: ReadonlyMap<RemoteSchemaName, IntrospectionResult>;
  /** Of those `upstreams` that are known. */
  readonly readings: ReadonlyMap<RemoteSchemaName, Introspection>;
  /** The event triggers that could not be created in their sources. */
  readonly captureFailures?: CaptureFailures;
}

/** Immutable. */
export interface State {
  /** `resource_version` of the metadata; of the next one while a change is not stored yet. */
  readonly version: number;
  /** Sorted. */
  readonly metadata: Metadata;
  readonly external: ExternalState;
  readonly model: Model;
}

/** Settings of `resolve`. */
export interface ResolveSettings {
  readonly environment: Environment;
  readonly sessionPrefix: string;
  /** True unless given. */
  readonly inferFunctionPermissions?: boolean;
  /** False unless given. */
  readonly remoteSchemaPermissions?: boolean;
  /** False unless given. */
  readonly strictNullability?: boolean;
  /** False unless given. */
  readonly apolloFederation?: boolean;
  /** The naming convention of sources that have none. */
  readonly namingConvention?: NamingConvention | undefined;
}

/** Resolves `metadata`. It runs in slices between which other requests are handled. */
export function makeState(
  version: number,
  metadata: Metadata,
  external: ExternalState,
  setting: ResolveSettings,
): Promise<State> {
  return runInSlices(stateSteps(version, metadata, external, setting));
}

function* stateSteps(
  version: number,
  metadata: Metadata,
  external: ExternalState,
  setting: ResolveSettings,
): Steps<State> {
  const ordered = sortMetadata(metadata);
  const { environment, sessionPrefix, namingConvention, strictNullability = false, apolloFederation = false } = setting;
  const { inferFunctionPermissions = true, remoteSchemaPermissions = false } = setting;
  const recorded = recordCatalogs(external.catalogs);
  const input: ResolveInput = {
    version,
    metadata: ordered,
    catalogs: recorded.catalogs,
    upstreams: external.upstreams,
    environment,
    sessionPrefix,
    inferFunctionPermissions,
    remoteSchemaPermissions,
    namingConvention,
    strictNullability,
    apolloFederation,
  };
  const accepted = yield* resolveSteps(input);
  const conflicts = sharedTypeConflicts(accepted);
  const resolved =
    conflicts.size === 0
      ? accepted
      : yield* resolveSteps({ ...input, upstreams: new Map([...external.upstreams, ...conflicts]) });
  const inconsistencies = [...resolved.inconsistencies];
  // Triggers whose target cannot be run are removed below.
  const eventTriggers = new Map(
    [...resolved.sources].map(([name, source]) => [name, new Map(source.eventTriggers)] as const),
  );
  const sources = new Map(
    [...resolved.sources].map(([name, source]) => [
      name,
      { ...source, eventTriggers: eventTriggers.get(name) ?? new Map() },
    ]),
  );
  const model: Model = { ...resolved, sources, inconsistencies };
  // With the model that is going to be used, so that its schema is built once.
  for (const problem of yield* storedOperationInconsistencies(model, ordered)) inconsistencies.push(problem);
  const scope = { metadata: ordered, model, external: { catalogs: recorded.catalogs }, sessionPrefix };
  for (const problem of yield* targetInconsistencies(scope, eventTriggers)) inconsistencies.push(problem);
  inconsistencies.push(...captureInconsistencies(model, ordered, external.captureFailures));
  const { upstreams, captureFailures } = external;
  origins.set(model, { metadata: ordered, upstreams, captureFailures, recorded });
  return { version, metadata: ordered, external, model };
}

/** What a model was resolved from. */
interface Origin {
  readonly metadata: Metadata;
  readonly upstreams: ExternalState['upstreams'];
  readonly captureFailures: CaptureFailures | undefined;
  readonly recorded: RecordedCatalogs;
}

const origins = new WeakMap<Model, Origin>();

/**
 * Returns `state`, whose model may be of an earlier external state: as it is where its model is that of its metadata and external
 * state, so that the schemas and plans of the model remain, else resolved.
 */
export async function resolvedState(state: State, setting: ResolveSettings): Promise<State> {
  return isResolved(state) ? state : makeState(state.version, state.metadata, state.external, setting);
}

function isResolved({ metadata, external, model }: State): boolean {
  const origin = origins.get(model);
  return (
    origin !== undefined &&
    origin.metadata === metadata &&
    origin.upstreams.size === external.upstreams.size &&
    [...origin.upstreams].every(([name, upstream]) => external.upstreams.get(name) === upstream) &&
    messagesOf(origin.captureFailures) === messagesOf(external.captureFailures) &&
    origin.recorded.fits(external.catalogs)
  );
}

/** Returns the state with these failures; the same state where they are the same. */
export async function withCaptureFailures(
  state: State,
  captureFailures: CaptureFailures,
  setting: ResolveSettings,
): Promise<State> {
  const { version, metadata, external } = state;
  if (messagesOf(captureFailures) === messagesOf(external.captureFailures)) return state;
  return makeState(version, metadata, { ...external, captureFailures }, setting);
}

function messagesOf(failures: CaptureFailures = new Map()): string {
  const list = [...failures].flatMap(([source, own]) => [...own].map(([name, { message }]) => [source, name, message]));
  return JSON.stringify(list.sort());
}

/** Whether the two have the same exports, regardless of the order of their members. */
export async function sameMetadata(one: Metadata, other: Metadata): Promise<boolean> {
  if (one === other) return true;
  const [text, otherText] = [await storedText(one), await storedText(other)];
  if (text === otherText) return true;
  return text.length === otherText.length && runInSlices(sameSteps(exportMetadata(one), exportMetadata(other)));
}

/** Objects within so many others are compared at once. */
const DEEPEST_SPLIT = 4;

function* sameSteps(one: unknown, other: unknown, depth = 0): Steps<boolean> {
  const bothObjects = typeof one === 'object' && typeof other === 'object' && one !== null && other !== null;
  if (depth > DEEPEST_SPLIT || !bothObjects || Array.isArray(one) !== Array.isArray(other)) {
    yield;
    return isDeepStrictEqual(one, other);
  }
  const members = Object.entries(one);
  if (members.length !== Object.keys(other).length) return false;
  for (const [name, member] of members) {
    if (!(yield* sameSteps(member, Reflect.get(other, name), depth + 1))) return false;
  }
  return true;
}
