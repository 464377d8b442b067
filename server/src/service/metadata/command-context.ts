/** What commands share: the progress of a change, and the context that a command runs in. */
import type { DroppedObject, EditedMetadata, MetadataExport } from '@joinery/metadata/api/metadata';
import type { ConfigurationSetting } from '@joinery/metadata/api/nodes';
import type { CommandName, CommandResponses } from '@joinery/metadata/api/responses';
import type { Success } from '@joinery/metadata/api/success';
import type { SourceName } from '@joinery/metadata/names';
import type { z } from 'zod';
import type { Session } from '../../auth/session.ts';
import type { Cancellation } from '../../base/cancellation.ts';
import type { PartlyPrinted, RawJson } from '../../base/json-value.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Span, TraceSettings } from '../../base/telemetry/trace.ts';
import type { NamingConvention } from '../../model/types/naming.ts';
import type { Database } from '../../postgres/client/pool.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { OperationDependencies } from '../graphql/run-operation.ts';
import type { NodeIdentity } from '../node-registry.ts';
import type { RecentErrors } from '../recent-errors.ts';
import type { ExternalStateTools } from './external-state.ts';
import type { State } from './state.ts';
import type { Mark, Store } from './store.ts';
import type { UnitOfWork } from './unit-of-work.ts';

export interface Tools extends ExternalStateTools {
  readonly store: Store;
  /** The database of the store in a separate pool, for commands that change scheduled events. */
  readonly events?: Database | undefined;
  /** The prefix of session variables in lower case, such as `x-service-`. */
  readonly sessionPrefix: string;
  /** True unless given. */
  readonly inferFunctionPermissions?: boolean;
  /** False unless given. */
  readonly strictNullability?: boolean;
  /** False unless given. */
  readonly apolloFederation?: boolean;
  /** The naming convention of sources that have none. */
  readonly namingConvention?: NamingConvention | undefined;
  /** False unless given. */
  readonly remoteSchemaPermissions?: boolean;
  readonly observe: Observe;
  /** Called with the settings of each model for the export of traces. */
  readonly useTraces?: (settings: TraceSettings | undefined) => void;
  /** The recent errors of this node. */
  readonly recentErrors?: RecentErrors;
  /** Undefined where the settings disable it. */
  readonly audit?: AuditLog | undefined;
  /** Masks the secrets of the service in a text. */
  readonly redacted?: (text: string) => string;
  /** The identity of this node. */
  readonly node?: NodeIdentity;
  /** The configuration of this node, with masked secrets. */
  readonly configuration?: readonly ConfigurationSetting[];
  /** Whether SQL that calls functions of pgcrypto creates the extension where they do not exist. */
  readonly createPgcrypto?: boolean;
  /** Whether commands for development are accepted. */
  readonly devMode?: boolean;
  /** What data commands share with GraphQL operations. */
  readonly operations: Pick<OperationDependencies, 'settings' | 'limits' | 'rateLimiter'>;
  /** Milliseconds between two polls for changes that were not announced; 3000 unless given. */
  readonly pollMs?: number;
  /** Milliseconds between two comparisons of the event triggers in the sources with the metadata; 10,000 unless given. */
  readonly reconcileMs?: number;
  /** Milliseconds between two introspections of each remote schema; 0, the default, for none. */
  readonly remoteRefreshMs?: number;
}

/** Returns the query function of a command that changes scheduled events: in a bulk, that of its transaction. */
export async function eventQuery({ alone, unit, tools }: CommandContext): Promise<Query> {
  const { database } = tools.store;
  return alone ? (tools.events ?? database).query : unit.query(database);
}

/** The endpoint of a command. */
export type CommandApi = 'v1' | 'metadata' | 'query';

/** Immutable: a command that fails leaves the progress before it. */
export interface Progress {
  readonly state: State;
  /** Sources whose catalog was read in this change and is valid until SQL runs. */
  readonly fresh: ReadonlySet<SourceName>;
  /** Whether a database or remote schema may have changed, so that other nodes have to read it too. */
  readonly externalChanged: boolean;
  /** The objects that the last command dropped because of `cascade`. */
  readonly dropped?: readonly DroppedObject[] | undefined;
}

export interface Outcome<Result = unknown> {
  readonly progress: Progress;
  readonly result: Result;
}

export interface CommandContext {
  readonly tools: Tools;
  readonly unit: UnitOfWork;
  /** The session of the caller: an admin, except for commands that every role may run. */
  readonly session: Session;
  readonly api: CommandApi;
  /** The mark of the metadata that the command began with. */
  readonly mark: Mark;
  /** The `resource_version` of the metadata if it changes. */
  readonly nextVersion: number;
  /** Keeps other nodes from changing the metadata until this change is committed. */
  readonly lock: () => Promise<void>;
  /** Aborted when the caller disconnects: it ends reads and SQL of the caller. */
  readonly signal?: Cancellation | undefined;
  /** The span of the request; undefined where it is not traced. */
  readonly span?: Span | undefined;
  /** The address that the caller connects from. */
  readonly address?: string | undefined;
  /** Empty for commands of the service itself. */
  readonly requestId: string;
  /** False inside of a bulk, where everything runs in the unit of work. */
  readonly alone: boolean;
}

export interface CommandRequest {
  readonly type: string;
  readonly args: unknown;
  /** The version of the format of the arguments. */
  readonly version: 1 | 2;
}

export interface ServiceCommand<Result = unknown> {
  /** The schema of the arguments, from which the reference is generated; undefined if it depends on the call. */
  readonly arguments?: z.ZodType;
  readonly apis: ReadonlySet<CommandApi>;
  /** Whether it may change the metadata or the external state, so that it runs behind other changes. */
  readonly changes: (args: unknown) => boolean;
  /** Whether its result shows the metadata, so that changes of other nodes are loaded before it runs. */
  readonly showsMetadata?: (args: unknown) => boolean;
  /** Whether every role may run it, with its own permissions. */
  readonly forEveryRole?: (args: unknown) => boolean;
  /** Whether SQL of the caller runs in its transaction. */
  readonly foreignSql?: (args: unknown) => boolean;
  /** Throws ServiceError with a path from `$.args`. */
  readonly run: (request: CommandRequest, progress: Progress, context: CommandContext) => Promise<Outcome<Result>>;
}

/** Responses to other forms of the arguments than those of `CommandResponses`. */
interface OtherResponses {
  readonly export_metadata: MetadataExport;
  readonly replace_metadata: EditedMetadata;
}

export type CommandResult<Name extends CommandName> =
  | PartlyPrinted<CommandResponses[Name] | (Name extends keyof OtherResponses ? OtherResponses[Name] : never)>
  | RawJson;

/** The commands with these names; their results are those of the metadata API. */
export type ServiceCommands<Names extends CommandName> = {
  readonly [Name in Names]: ServiceCommand<CommandResult<Name>>;
};

export const success: Success = { message: 'success' };

/** The endpoints of metadata commands: not `/v2/query`. */
export const metadataApis: ReadonlySet<CommandApi> = new Set(['v1', 'metadata']);
