/** One moment of the service: the metadata, what was read of the world, and the model made of both. */

import { sortMetadata } from '@joinery/metadata/document/export';
import type { Metadata } from '@joinery/metadata/metadata';
import type { RemoteSchemaName, SourceName } from '@joinery/metadata/names';
import type { Environment } from '../../base/environment.ts';
import type { ServiceError } from '../../base/errors.ts';
import { runInSlices, type Steps } from '../../base/steps.ts';
import type { Model } from '../../model/model.ts';
import { resolveSteps } from '../../model/resolve.ts';
import type { ResolveInput } from '../../model/types/draft.ts';
import type { NamingConvention } from '../../model/types/naming.ts';
import { storedProblems } from './stored-operations.ts';
import { storedText } from './stored-text.ts';

/** What an introspection brought: a schema, or why there is none. */
export type Upstream = ResolveInput['upstreams'] extends ReadonlyMap<RemoteSchemaName, infer Read> ? Read : never;

/** What a source's database said of itself, or why it said nothing. */
export type CatalogRead = ResolveInput['catalogs'] extends ReadonlyMap<SourceName, infer Read> ? Read : never;

/** How a remote schema came to be known. */
export interface Reading {
  /** When it said what it offers, ISO 8601. */
  readonly readAt: string;
  /** Why it could not be asked since. */
  readonly problem?: ServiceError;
}

export interface World {
  readonly catalogs: ReadonlyMap<SourceName, CatalogRead>;
  readonly upstreams: ReadonlyMap<RemoteSchemaName, Upstream>;
  /** Of those `upstreams` that are there. */
  readonly readings: ReadonlyMap<RemoteSchemaName, Reading>;
}

/** Never changed, only replaced. */
export interface State {
  /** `resource_version` of the metadata; of the next one while a change is not stored yet. */
  readonly version: number;
  /** Its lists in order. */
  readonly metadata: Metadata;
  readonly world: World;
  readonly model: Model;
}

/** What `resolve` wants to know besides. */
export interface Setting {
  readonly environment: Environment;
  readonly sessionPrefix: string;
  /** True unless given. */
  readonly inferFunctionPermissions?: boolean;
  /** False unless given. */
  readonly remoteSchemaPermissions?: boolean;
  /** Of sources that name none. */
  readonly namingConvention?: NamingConvention | undefined;
}

/** The state of `metadata` in `world`. Between the steps of its work other requests are handled. */
export function makeState(version: number, metadata: Metadata, world: World, setting: Setting): Promise<State> {
  return runInSlices(stateSteps(version, metadata, world, setting));
}

function* stateSteps(version: number, metadata: Metadata, world: World, setting: Setting): Steps<State> {
  const ordered = sortMetadata(metadata);
  const { environment, sessionPrefix, namingConvention } = setting;
  const { inferFunctionPermissions = true, remoteSchemaPermissions = false } = setting;
  const resolved = yield* resolveSteps({
    version,
    metadata: ordered,
    ...world,
    environment,
    sessionPrefix,
    inferFunctionPermissions,
    remoteSchemaPermissions,
    namingConvention,
  });
  const inconsistencies = [...resolved.inconsistencies];
  const model = { ...resolved, inconsistencies };
  // Asks the schema of the very model that is to be used, so that it is made once.
  for (const problem of yield* storedProblems(model, ordered)) inconsistencies.push(problem);
  return { version, metadata: ordered, world, model };
}

/** Whether the two are written the same. */
export async function sameMetadata(one: Metadata, other: Metadata): Promise<boolean> {
  return one === other || (await storedText(one)) === (await storedText(other));
}
