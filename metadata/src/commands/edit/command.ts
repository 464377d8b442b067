/** Metadata commands: parsed arguments and a pure change of the metadata. */
import type { z } from 'zod';
import type { Metadata } from '../../metadata.ts';
import type { ActionName, QualifiedTable, RemoteSchemaName, RoleName, SourceName } from '../../names.ts';
import { argumentsInSteps, type InSteps, runToEnd } from './arguments.ts';

/** External state to read again before the result is resolved. */
export type Reread =
  | { readonly kind: 'catalog'; readonly source: SourceName }
  | { readonly kind: 'remote'; readonly remoteSchema: RemoteSchemaName };

/**
 * Handling of objects that no longer resolve after the edit. `none`: they are errors of the edit; `reject`: they depend
 * on a dropped object and the edit fails; `drop`: they are dropped too.
 */
export type Dependents = 'none' | 'reject' | 'drop';

/** Information of the service for an edit. Without it, an edit uses only the metadata. */
export interface EditContext {
  /**
   * Returns the target of a relationship by a foreign key of the table, which the metadata does not name, or the table of
   * a computed field that returns rows.
   */
  relationshipTarget(source: SourceName, table: QualifiedTable, relationship: string): QualifiedTable | undefined;
  /** Returns the table whose rows a tracked function returns, if the role may not select from it. */
  deniedRows?(source: SourceName, called: QualifiedTable, role: RoleName): QualifiedTable | undefined;
  /** Whether a GraphQL document contains a mutation. */
  mutates(document: string): boolean;
  /** Whether permissions on remote schemas have an effect. Unless given, they have. */
  readonly remoteSchemaPermissions?: boolean;
}

/** One call of a command with parsed arguments. */
export interface Edit {
  /** Returns the metadata after the edit without changing `metadata`. Throws EditError. */
  apply(metadata: Metadata, context?: EditContext): Metadata;
  /** External state to read again before the result is resolved. */
  readonly rereads: readonly Reread[];
  readonly dependents: Dependents;
  /** Whether the context must belong to the metadata that the edit is applied to. */
  readonly needsContext: boolean;
  /** The action whose log is deleted. */
  readonly clears?: ActionName | undefined;
}

export interface Command<Name extends string = string, Input = unknown> {
  /** Its name in the v1 API. */
  readonly name: Name;
  /** The type of valid arguments. Never set. */
  readonly input?: Input;
  /** The schema of the arguments, from which the reference is generated. */
  readonly arguments: z.ZodType;
  /** Throws EditError `parse-failed`. */
  parse(args: unknown): Edit;
  /** As `parse`, in steps for large arguments. */
  parseInSteps?(args: unknown): InSteps<Edit>;
}

export interface CommandDefinition<Name extends string, Args, Input> {
  readonly name: Name;
  readonly arguments: z.ZodType<Args, Input>;
  readonly apply: (args: Args, metadata: Metadata, context: EditContext | undefined) => Metadata;
  readonly rereads?: (args: Args) => readonly Reread[];
  readonly dependents?: (args: Args) => Dependents;
  readonly needsContext?: boolean;
  readonly clears?: (args: Args) => ActionName | undefined;
}

export function defineCommand<Name extends string, Args, Input>(
  definition: CommandDefinition<Name, Args, Input>,
): Command<Name, Input> {
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
  return {
    name: definition.name,
    arguments: definition.arguments,
    parse: (input) => runToEnd(parseInSteps(input)),
    parseInSteps,
  };
}

/** Parses and applies an edit. Throws EditError. */
export function runEdit(command: Command, args: unknown, metadata: Metadata, context?: EditContext): Metadata {
  return command.parse(args).apply(metadata, context);
}
