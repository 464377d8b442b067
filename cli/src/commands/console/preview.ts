/** Computes the metadata after a command of the console without sending it. */
import type { PreviewRequest } from '@joinery/metadata/api/project';
import { EditError } from '@joinery/metadata/commands/edit/edit-error';
import { commands as edits } from '@joinery/metadata/commands/registry';
import { exportMetadata, withoutExcludedTriggers } from '@joinery/metadata/document/export';
import { isJsonObject } from '@joinery/metadata/json';
import { Metadata } from '@joinery/metadata/metadata';
import type { Members } from '@joinery/metadata/sdl/actions';

/** Returns undefined where only the service knows the result, such as with the objects that a drop removes. */
export function previewMetadata({ type, args }: PreviewRequest, exported: unknown): Members | undefined {
  const before = Metadata.safeParse(exported);
  if (!before.success) return undefined;
  const after = edited({ type, args }, before.data);
  return after === undefined ? undefined : exportMetadata(withoutExcludedTriggers(after));
}

function edited({ type, args }: PreviewRequest, before: Metadata): Metadata | undefined {
  if (type === 'bulk' || type === 'bulk_atomic') {
    let current: Metadata | undefined = before;
    for (const element of Array.isArray(args) ? args : []) {
      if (!isJsonObject(element) || typeof element.type !== 'string') return undefined;
      current = edited({ type: element.type, args: element.args }, current);
      if (current === undefined) return undefined;
    }
    return current;
  }
  try {
    const edit = edits.get(type)?.parse(args ?? {});
    if (edit === undefined || edit.needsContext || edit.dependents === 'drop') return undefined;
    return edit.apply(before);
  } catch (error) {
    // The service reports it when the command is sent.
    if (error instanceof EditError) return undefined;
    throw error;
  }
}
