/** What the steps of a change have in common: how far it has come, and what a step may use. */
import type { SourceName } from '@joinery/metadata/names';
import type { Session } from '../../auth/session.ts';
import type { Cancellation } from '../../base/cancellation.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { RecentErrors } from '../../base/telemetry/recent-errors.ts';
import type { Span } from '../../base/telemetry/trace.ts';
import type { NamingConvention } from '../../model/types/naming.ts';
import type { Database, Query } from '../../postgres/client/pool.ts';
import type { OperationDependencies } from '../graphql/run-operation.ts';
import type { NodeIdentity } from '../node-registry.ts';
import type { DroppedObject } from './dropped-objects.ts';
import type { WorldTools } from './external-state.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';
import type { Unit } from './unit-of-work.ts';

export interface Tools extends WorldTools {
  readonly store: Store;
  /** For commands that change scheduled events: the same database as that of the store, in a pool of its own. */
  readonly events?: Database | undefined;
  /** Lower case, such as `x-service-`. */
  readonly sessionPrefix: string;
  /** True unless given. */
  readonly inferFunctionPermissions?: boolean;
  /** Of sources that name none. */
  readonly namingConvention?: NamingConvention | undefined;
  /** False unless given. */
  readonly remoteSchemaPermissions?: boolean;
  readonly observe: Observe;
  /** What was refused lately on this node. */
  readonly recentErrors?: RecentErrors;
  /** Who this is among the nodes. */
  readonly node?: NodeIdentity;
  /** The settings that this node runs with, secrets masked. */
  readonly configuration?: readonly unknown[];
  /** Whether commands are taken that are for development alone. */
  readonly devMode?: boolean;
  /** What data commands share with GraphQL operations. */
  readonly operations: Pick<OperationDependencies, 'settings' | 'limits' | 'rateLimiter'>;
  /** Milliseconds between two looks for changes that were not announced; 3000 unless given. */
  readonly pollMs?: number;
  /** Milliseconds between two questions to each remote schema what it offers; 0, as without it, asks none. */
  readonly remoteRefreshMs?: number;
}

/** Queries of a command that changes scheduled events: in a bulk, in its transaction. */
export async function eventQuery({ alone, unit, tools }: Context): Promise<Query> {
  const { database } = tools.store;
  return alone ? (tools.events ?? database).query : unit.query(database);
}

/** The endpoint that a command came to. */
export type CommandApi = 'v1' | 'metadata' | 'query';

/** Never changed, only replaced: a step that fails leaves the progress before it. */
export interface Progress {
  readonly state: State;
  /** Sources whose catalog was read in this change; it need not be read again until SQL has run. */
  readonly fresh: ReadonlySet<SourceName>;
  /** Whether a database or remote schema may be another than before, so that other nodes have to read it too. */
  readonly worldChanged: boolean;
  /** What the last command dropped because of `cascade`. */
  readonly dropped?: readonly DroppedObject[] | undefined;
}

export interface Outcome {
  readonly progress: Progress;
  readonly answer: unknown;
}

export interface Context {
  readonly tools: Tools;
  readonly unit: Unit;
  /** Who sent the command; an admin but for commands that are for every role. */
  readonly session: Session;
  readonly api: CommandApi;
  /** `resource_version` that the metadata gets if it changes. */
  readonly nextVersion: number;
  /** Keeps other nodes from changing the metadata until this change is committed. */
  readonly lock: () => Promise<void>;
  /** Aborted when the caller has gone: what only reads, or is SQL of the caller, ends with it. */
  readonly signal?: Cancellation | undefined;
  /** The span of the request; undefined where it is not traced. */
  readonly span?: Span | undefined;
  /** The address that the caller connects from. */
  readonly address?: string | undefined;
  /** Empty for commands of the service itself. */
  readonly requestId: string;
  /** True for one command alone; false inside of a bulk, where everything goes through the unit. */
  readonly alone: boolean;
}

export interface Request {
  readonly type: string;
  readonly args: unknown;
  /** Of the command's own format. */
  readonly version: 1 | 2;
}

/** What stands behind a `type`. */
export interface ServiceCommand {
  readonly apis: ReadonlySet<CommandApi>;
  /** Whether it may change the metadata or what is known of the world, so that it has to wait for its turn. */
  readonly changes: (args: unknown) => boolean;
  /** Whether others than admins may run it, under their own permissions. */
  readonly forEveryRole?: (args: unknown) => boolean;
  /** Whether SQL of the caller runs in its transaction. */
  readonly foreignSql?: (args: unknown) => boolean;
  /** Throws ServiceError with a path from `$.args`. */
  readonly run: (request: Request, progress: Progress, context: Context) => Promise<Outcome>;
}

export const success = { message: 'success' } as const;

/** Metadata commands are not for `/v2/query`. */
export const metadataApis: ReadonlySet<CommandApi> = new Set(['v1', 'metadata']);
