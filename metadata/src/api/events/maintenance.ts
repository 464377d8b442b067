/** Commands that take over events of Hasura v2, and that find and remove what is left of triggers. */
import { z } from 'zod';
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

/** The responses of these commands. */
export interface MaintenanceResponses {
  readonly take_over_hasura_events: TakenOverEvents;
}
