/** Edits that follow each other in a bulk, resolved once for all of them instead of once for each. */
import type { Edit } from '@joinery/metadata/commands/edit/command';
import { EditError } from '@joinery/metadata/commands/edit/edit-error';
import { commands as edits } from '@joinery/metadata/commands/registry';
import { nextState, reread } from '../metadata/apply-edit.ts';
import {
  type CommandApi,
  type Context,
  metadataApis,
  type Progress,
  type Request,
} from '../metadata/command-context.ts';
import { editContext } from '../metadata/edit-context.ts';
import { freshInconsistencies, freshUnsupported } from '../metadata/inconsistencies.ts';

/** The requests up to the first that has to be done by itself. */
export function leadingEdits(requests: readonly Request[], api: CommandApi): readonly Request[] {
  if (!metadataApis.has(api)) return [];
  const end = requests.findIndex((request) => !isPlainEdit(request));
  return end < 0 ? requests : requests.slice(0, end);
}

function isPlainEdit(request: Request): boolean {
  const edit = parse(request);
  return edit !== undefined && edit.dependents === 'none' && !edit.needsContext && edit.clears === undefined;
}

function parse({ type, args }: Request): Edit | undefined {
  try {
    return edits.get(type)?.parse(args);
  } catch (error) {
    if (error instanceof EditError) return undefined;
    throw error;
  }
}

/**
 * What all of them come to; undefined when one is refused or when together they leave something broken. That one may
 * need what a later one brings is no fault here: the bulk as a whole is what takes effect.
 */
export async function applyTogether(
  requests: readonly Request[],
  progress: Progress,
  context: Context,
): Promise<Progress | undefined> {
  const parsed = requests.flatMap((request) => parse(request) ?? []);
  const metadata = applied(parsed, progress);
  if (metadata === undefined) return undefined;
  const rereads = parsed.flatMap((edit) => edit.rereads);
  const read = await reread(rereads, metadata, progress, context);
  const state = await nextState(metadata, read, context);
  const before = progress.state.model;
  if ((await freshInconsistencies(before, state.model)).length > 0) return undefined;
  // One by one, each edit returns its own warnings.
  return (await freshUnsupported(before, state.model)).length === 0 ? { ...read, state } : undefined;
}

function applied(parsed: readonly Edit[], { state }: Progress): typeof state.metadata | undefined {
  try {
    const around = editContext(state.model);
    return parsed.reduce((metadata, edit) => edit.apply(metadata, around), state.metadata);
  } catch (error) {
    if (error instanceof EditError) return undefined;
    throw error;
  }
}
