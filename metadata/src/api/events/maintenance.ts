/** Commands that take over events of Hasura v2, and that find and remove what is left of triggers. */
import { z } from 'zod';
import type { QualifiedName } from '../../document/exported-metadata.ts';
import { DEFAULT_SOURCE, SourceName } from '../../names.ts';
import { StorableText } from '../../sql/storable.ts';

const source = SourceName.default(DEFAULT_SOURCE);

export const TakeOverHasuraEvents = z.strictObject({
  source,
  /** Default: all event triggers of the source. */
  names: z.array(StorableText).min(1).nullish(),
  /** Counts without a change. */
  dry_run: z.boolean().default(false),
  /** Also takes events that a node of Hasura v2 has claimed, which requires that none runs. */
  include_claimed: z.boolean().default(false),
});

interface TakenOverTrigger {
  readonly name: string;
  /** The functions by which Hasura v2 captured changes, in the schema `hdb_catalog`. They were dropped with their triggers. */
  readonly functions: readonly string[];
  /** Events that were moved, with their ids; of a dry run: that would be. */
  readonly taken: number;
  /** Events that a node of Hasura v2 has claimed and that it delivers. */
  readonly claimed: number;
}

export interface TakenOverEvents {
  readonly dry_run: boolean;
  /** Whether the database has the table of events of Hasura v2. */
  readonly has_hasura_events: boolean;
  readonly triggers: readonly TakenOverTrigger[];
  /** Pending events of triggers that the source does not have. They stay. */
  readonly others: readonly { readonly name: string; readonly pending: number }[];
}

/** A database that the service has left: the variable with its URL, or the URL. */
const databaseUrl = z.union([z.string().min(1), z.strictObject({ from_env: z.string().min(1) })]);

const orphanPlace = {
  /** Default: `default`, unless `database_url` is given. */
  source: SourceName.nullish(),
  database_url: databaseUrl.nullish(),
};

const oneDatabase = {
  check: ({ source: name, database_url }: { source?: unknown; database_url?: unknown }): boolean =>
    name == null || database_url == null,
  message: 'give "source" or "database_url", not both',
};

export const GetEventOrphans = z.strictObject(orphanPlace).refine(oneDatabase.check, oneDatabase.message);

export const RemoveEventOrphans = z
  .strictObject({
    ...orphanPlace,
    /** Names of orphans that `get_event_orphans` lists. */
    names: z.array(StorableText).min(1),
  })
  .refine(oneDatabase.check, oneDatabase.message);

/** An object of event triggers in a database that no event trigger of the metadata uses. */
export interface EventOrphan {
  /**
   * `trigger`: an event trigger with its functions, tables and events. `schema`: the tables and functions for all event triggers.
   * `hasura_trigger`: a function of Hasura v2 with its triggers.
   */
  readonly kind: 'trigger' | 'function' | 'table' | 'schema' | 'hasura_trigger';
  readonly name: string;
  readonly table?: QualifiedName | undefined;
  /** The statements that remove it. */
  readonly sql: string;
}

/** The responses of these commands. */
export interface MaintenanceResponses {
  readonly get_event_orphans: { readonly orphans: readonly EventOrphan[] };
  readonly remove_event_orphans: { readonly removed: readonly EventOrphan[] };
  readonly take_over_hasura_events: TakenOverEvents;
}
