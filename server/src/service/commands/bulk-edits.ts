/** Resolves consecutive edits of a bulk once for all of them instead of once for each. */
import type { Edit } from '@joinery/metadata/commands/edit/command';
import { EditError } from '@joinery/metadata/commands/edit/edit-error';
import { commands as edits } from '@joinery/metadata/commands/registry';
import { editContext, nextState, reread } from '../metadata/apply-edit.ts';
import {
  type CommandApi,
  type CommandContext,
  type CommandRequest,
  metadataApis,
  type Progress,
} from '../metadata/command-context.ts';
import { newInconsistencies, newWarnings } from '../metadata/inconsistencies.ts';

/** Returns the requests up to the first that cannot be combined with others. */
export function leadingEdits(requests: readonly CommandRequest[], api: CommandApi): readonly CommandRequest[] {
  if (!metadataApis.has(api)) return [];
  const end = requests.findIndex((request) => !isPlainEdit(request));
  return end < 0 ? requests : requests.slice(0, end);
}

function isPlainEdit(request: CommandRequest): boolean {
  const edit = parse(request);
  // It returns warnings that depend on more than the model.
  if (request.type === 'set_api_limits') return false;
  return edit !== undefined && edit.dependents === 'none' && !edit.needsContext && edit.clears === undefined;
}

function parse({ type, args }: CommandRequest): Edit | undefined {
  try {
    return edits.get(type)?.parse(args);
  } catch (error) {
    if (error instanceof EditError) return undefined;
    throw error;
  }
}

/**
 * Applies the edits together; undefined where one fails or an object becomes inconsistent. An edit may need an object that
 * a later one adds, as only the bulk as a whole takes effect.
 */
export async function applyTogether(
  requests: readonly CommandRequest[],
  progress: Progress,
  context: CommandContext,
): Promise<Progress | undefined> {
  const parsed = requests.flatMap((request) => parse(request) ?? []);
  const metadata = applied(parsed, progress, context);
  if (metadata === undefined) return undefined;
  const rereads = parsed.flatMap((edit) => edit.rereads);
  const read = await reread(rereads, metadata, progress, context);
  const state = await nextState(metadata, read, context);
  const before = progress.state.model;
  if ((await newInconsistencies(before, state.model)).length > 0) return undefined;
  // Applied one by one, each edit returns its own warnings.
  return (await newWarnings(before, state.model)).length === 0 ? { ...read, state } : undefined;
}

function applied(
  parsed: readonly Edit[],
  { state }: Progress,
  { tools }: CommandContext,
): typeof state.metadata | undefined {
  try {
    const around = editContext(state.model, tools);
    return parsed.reduce((metadata, edit) => edit.apply(metadata, around), state.metadata);
  } catch (error) {
    if (error instanceof EditError) return undefined;
    throw error;
  }
}
