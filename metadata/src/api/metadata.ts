/** Commands about the metadata as a whole. */
import { z } from 'zod';
import type { ExportedMetadata } from '../document/exported-metadata.ts';
import { RemoteSchemaName, SourceName } from '../names.ts';
import type { Success } from './success.ts';

/** Older clients send `{}`, null or nothing. */
export const NoArguments = z.strictObject({}).nullish();

/** The arguments of `replace_metadata` with the member `metadata`. Without it, they are the metadata. */
export const ReplaceMetadata = z.strictObject({
  metadata: z.unknown(),
  allow_inconsistent_metadata: z.boolean().default(false),
  /** False: rejects metadata with members that have no effect. */
  allow_warnings: z.boolean().default(true),
  /** Changes nothing; the result shows what would change. */
  dry_run: z.boolean().default(false),
});

/** All, none, or the named ones. */
const some = <Name extends z.ZodType<string>>(name: Name) => z.union([z.boolean(), z.array(name)]).default(true);

export const ReloadMetadata = z
  .strictObject({
    reload_sources: some(SourceName),
    reload_remote_schemas: some(RemoteSchemaName),
    /** The sources in which the functions of event triggers are created again, also where nothing has changed. */
    recreate_event_triggers: z.union([z.boolean(), z.array(SourceName)]).optional(),
    /** Ignored: there are no agents of data connectors. */
    reload_data_connectors: z.union([z.boolean(), z.array(z.string())]).optional(),
  })
  .nullish()
  .transform((args) => args ?? { reload_sources: true, reload_remote_schemas: true });

export interface MetadataExport {
  /** Incremented by every change of the metadata. */
  readonly resource_version: number;
  readonly metadata: ExportedMetadata;
}

export interface InconsistentObject {
  /** `unsupported` for a member that has no effect; otherwise the type of an object that cannot be used. */
  readonly type: string;
  readonly name: string;
  readonly reason: string;
  /** JSON path into the metadata. */
  readonly path: string;
  /** The object as it is in the metadata. */
  readonly definition: unknown;
}

export interface Consistency {
  readonly is_consistent: boolean;
  readonly inconsistent_objects: readonly InconsistentObject[];
}

/** A part of a command that had no effect, with the reason. */
export interface CommandWarning {
  readonly message: string;
  /** JSON path into the arguments or the metadata. */
  readonly path: string;
  readonly code: string;
  /** Of a member of the metadata that has no effect. */
  readonly type?: string;
  readonly name?: string;
}

export interface SchemaChange {
  /** A schema coordinate, such as `author.name`. */
  readonly at: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** The kind of a type or the type of a member; absent for members of enums and unions. */
  readonly from?: string;
  readonly to?: string;
  /** Whether a request that was valid before may be invalid now. */
  readonly breaking: boolean;
}

export interface RoleSchemaChanges {
  readonly role: string;
  readonly changes: readonly SchemaChange[];
}

/** The response of `replace_metadata` to arguments with the member `metadata`. */
export interface ReplacedMetadata extends Consistency {
  readonly warnings?: readonly CommandWarning[];
  /** The roles whose schema would change; with `dry_run` only. */
  readonly schema_changes?: readonly RoleSchemaChanges[];
}

export interface ReloadedMetadata extends Success {
  readonly is_consistent: boolean;
  /** Absent where the metadata is consistent. */
  readonly inconsistent_objects?: readonly InconsistentObject[];
}

export interface DroppedObject {
  readonly type: string;
  readonly name: string;
  /** The object as it was in the metadata. */
  readonly definition: unknown;
}

/** The response of an edit of the metadata. */
export interface EditedMetadata extends Success {
  /** Objects that the edit dropped with the one that it names. */
  readonly dropped?: readonly DroppedObject[];
  /** Parts that had no effect: members of the metadata, or tables that could not be tracked or untracked. */
  readonly warnings?: readonly CommandWarning[];
}
