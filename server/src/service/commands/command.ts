/** Builders of metadata commands: which endpoints take them, how their arguments are read, and what they change. */
import { parseArguments } from '@joinery/metadata/commands/edit/arguments';
import type { z } from 'zod';
import { convertEditErrors } from '../metadata/apply-edit.ts';
import {
  type CommandContext,
  type CommandRequest,
  metadataApis,
  type Outcome,
  type Progress,
  type ServiceCommand,
} from '../metadata/command-context.ts';

/** Parses the arguments of a command. Throws `parse-failed` with the path of the argument. */
export function readArguments<Args>(schema: z.ZodType<Args>, args: unknown): Args {
  return convertEditErrors(() => parseArguments(schema, args));
}

type Run<Args, Result> = (
  args: Args,
  progress: Progress,
  context: CommandContext,
  request: CommandRequest,
) => Result | Promise<Result>;

/** A command that changes nothing; `read` returns its result. */
export function readCommand<Args, Result>(schema: z.ZodType<Args>, read: Run<Args, Result>): ServiceCommand<Result> {
  return {
    apis: metadataApis,
    arguments: schema,
    changes: () => false,
    run: async (request, progress, context) => ({
      progress,
      result: await read(readArguments(schema, request.args), progress, context, request),
    }),
  };
}

/** As `readCommand`, for a result that shows the metadata: with the changes that other nodes have made before the call. */
export function showCommand<Args, Result>(schema: z.ZodType<Args>, read: Run<Args, Result>): ServiceCommand<Result> {
  return { ...readCommand(schema, read), showsMetadata: () => true };
}

/** A command that may change the metadata or the external state; `edit` returns the progress after it and its result. */
export function editCommand<Args, Result>(
  schema: z.ZodType<Args>,
  edit: Run<Args, Outcome<Result>>,
): ServiceCommand<Result> {
  return {
    apis: metadataApis,
    arguments: schema,
    changes: () => true,
    run: async (request, progress, context) => edit(readArguments(schema, request.args), progress, context, request),
  };
}
