/** A project's metadata in the one form that services export, so that the two can be compared. */
import { jsonPath, validationErrors } from '@joinery/metadata/commands/edit/arguments';
import { EditError } from '@joinery/metadata/commands/edit/edit-error';
import { readDocument } from '@joinery/metadata/document/document';
import { exportMetadata, withoutExcludedTriggers } from '@joinery/metadata/document/export';
import { emptyMetadata, Metadata } from '@joinery/metadata/metadata';
import { strayMembers } from '@joinery/metadata/schema/members';
import type { Members } from '@joinery/metadata/sdl/actions';
import { type Fault, ProjectError } from '../../cli-error.ts';
import type { LocalMetadata } from '../../project/metadata-directory.ts';

/** Throws ProjectError with every fault that can be seen without a service, each with its place. */
export function canonical(local: LocalMetadata): Members {
  const faults = shapeFaults(local);
  if (faults.length > 0) throw new ProjectError(faults);
  try {
    return exportMetadata(withoutExcludedTriggers(readDocument(local.document, emptyMetadata)));
  } catch (error) {
    if (!(error instanceof EditError)) throw error;
    const { code, message, path } = error;
    throw new ProjectError({ message, code, path, place: local.place(path) }, { cause: error });
  }
}

/** What a service exports, in the form of this version. */
export function canonicalExport(metadata: unknown): Members {
  const parsed = Metadata.safeParse(metadata);
  return parsed.success ? exportMetadata(withoutExcludedTriggers(parsed.data)) : (metadata as Members);
}

/** The members that are kept and have no effect, each with its place. */
export function unsupportedFaults(local: LocalMetadata): readonly Fault[] {
  const sourceless = !('sources' in local.document);
  const document = sourceless
    ? { ...local.document, sources: [{ name: 'default', ...local.document }] }
    : local.document;
  return strayMembers(Metadata, document)
    .filter(({ kind }) => kind === 'unsupported')
    .map(({ path, advice }) => ({
      message: `the member "${String(path.at(-1))}" is kept and has no effect; ${advice}`,
      path: jsonPath(path),
      place: local.place(path),
    }));
}

/** All faults of shape at once; those of a document without sources are found one by one. */
function shapeFaults(local: LocalMetadata): readonly Fault[] {
  if (!('sources' in local.document)) return [];
  return validationErrors(Metadata, local.document, 'metadata').map(({ path, message }) => ({
    message,
    path,
    code: 'parse-failed',
    place: local.place(path),
  }));
}
