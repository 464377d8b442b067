/** Commands of the command line tool and the console of Hasura v2. */
import { z } from 'zod';
import type { ExportedMetadata } from '../document/exported-metadata.ts';
import type { InconsistentObject } from './metadata.ts';

/** Replaces the state of one tool. Its content belongs to the tool. */
export const SetCatalogState = z.strictObject({ type: z.enum(['cli', 'console']), state: z.json() });

export interface CatalogState {
  /** Identifies the installation: all nodes with one metadata database. */
  readonly id: string;
  /** Its member `migrations` has the applied migrations of each source: `{ source: { version: isDirty } }`. */
  readonly cli_state: unknown;
  readonly console_state: unknown;
}

export const GetSourceKindCapabilities = z.strictObject({ name: z.string().min(1) });

interface SourceKind {
  readonly kind: string;
  readonly display_name: string;
  readonly builtin: boolean;
  readonly available: boolean;
}

export interface SourceKinds {
  readonly sources: readonly SourceKind[];
}

/** For debugging; the form may change with each release. */
export interface InternalState {
  readonly resource_version: number;
  readonly metadata: ExportedMetadata;
  readonly inconsistent_objects: readonly InconsistentObject[];
  readonly roles: readonly string[];
  /** The usable tables of each source. */
  readonly sources: Readonly<Record<string, { readonly tables: readonly string[] }>>;
}
