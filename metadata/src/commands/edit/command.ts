/** What a metadata command is: arguments that are read once, and a pure change of the metadata. */
import type { z } from 'zod';
import type { Metadata } from '../../metadata.ts';
import type { ActionName, QualifiedTable, RemoteSchemaName, SourceName } from '../../names.ts';
import { argumentsInSteps, type InSteps, runToEnd } from './arguments.ts';

/** What lies outside of the metadata and may be newer than what was last read of it. */
export type Reread =
  | { readonly kind: 'catalog'; readonly source: SourceName }
  | { readonly kind: 'remote'; readonly remoteSchema: RemoteSchemaName };

/**
 * What becomes of objects that no longer resolve once the edit is made: `none` means that they are a mistake in what
 * was written, `refuse` that they depend on what is dropped and keep it, `drop` that they go with it.
 */
export type Dependents = 'none' | 'reject' | 'drop';

/** What an edit may ask of the service. Without it, an edit goes by the metadata alone. */
export interface EditContext {
  /**
   * The table behind a relationship, where the metadata does not say it (a foreign key of the table itself), or behind a
   * computed field that returns rows.
   */
  relationshipTarget(source: SourceName, table: QualifiedTable, relationship: string): QualifiedTable | undefined;
  /** Whether a GraphQL document holds a mutation. */
  mutates(document: string): boolean;
}

/** One call of a command: its arguments are parsed, nothing has happened yet. */
export interface Edit {
  /** The metadata after the edit; `metadata` itself is left as it is. Throws EditError. */
  apply(metadata: Metadata, context?: EditContext): Metadata;
  /** To be read again before the result is resolved. */
  readonly rereads: readonly Reread[];
  readonly dependents: Dependents;
  /** Whether the context have to be those of the very metadata that it is applied to. */
  readonly needsContext: boolean;
  /** The action whose log goes with it. */
  readonly clears?: ActionName | undefined;
}

export interface Command {
  /** Its name in the v1 API. */
  readonly name: string;
  /** Throws EditError `parse-failed`. */
  parse(args: unknown): Edit;
  /** The same in steps, for arguments that may be large. */
  parseInSteps?(args: unknown): InSteps<Edit>;
}

export interface CommandDefinition<Args> {
  readonly name: string;
  readonly arguments: z.ZodType<Args>;
  readonly apply: (args: Args, metadata: Metadata, context: EditContext | undefined) => Metadata;
  readonly rereads?: (args: Args) => readonly Reread[];
  readonly dependents?: (args: Args) => Dependents;
  readonly needsContext?: boolean;
  readonly clears?: (args: Args) => ActionName | undefined;
}

export function defineCommand<Args>(definition: CommandDefinition<Args>): Command {
  function* parseInSteps(input: unknown): InSteps<Edit> {
    const args = yield* argumentsInSteps(definition.arguments, input);
    yield;
    return {
      apply: (metadata, context) => definition.apply(args, metadata, context),
      rereads: definition.rereads?.(args) ?? [],
      dependents: definition.dependents?.(args) ?? 'none',
      needsContext: definition.needsContext ?? false,
      clears: definition.clears?.(args),
    };
  }
  return { name: definition.name, parse: (input) => runToEnd(parseInSteps(input)), parseInSteps };
}

/** Parses and applies in one go. Throws EditError. */
export function runEdit(command: Command, args: unknown, metadata: Metadata, context?: EditContext): Metadata {
  return command.parse(args).apply(metadata, context);
}
