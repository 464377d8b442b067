/** Converts the metadata of a project and of a service to one form, so that they can be compared. */
import { validationErrors } from '@joinery/metadata/commands/edit/arguments';
import { EditError } from '@joinery/metadata/commands/edit/edit-error';
import { readDocument, unknownMembersOf } from '@joinery/metadata/document/document';
import { exportMetadata, withoutExcludedTriggers } from '@joinery/metadata/document/export';
import { jsonPath } from '@joinery/metadata/json';
import { emptyMetadata, Metadata } from '@joinery/metadata/metadata';
import { strayMembers, withoutMembers } from '@joinery/metadata/schema/members';
import type { Members } from '@joinery/metadata/sdl/actions';
import { CliError, type ErrorDetail } from '../../cli-error.ts';
import type { LocalMetadata } from '../../project/metadata-directory.ts';
import type { LocatedMetadata } from './report.ts';

/** Throws CliError with every error that can be found without a service, each with its place. */
export function canonical(local: LocalMetadata): Members {
  const errors = shapeErrors(local);
  if (errors.length > 0) throw new CliError(errors);
  try {
    // Unknown members are warnings.
    const ignore = (): void => undefined;
    return exportMetadata(withoutExcludedTriggers(readDocument(local.document, emptyMetadata, ignore)));
  } catch (error) {
    if (!(error instanceof EditError)) throw error;
    const { code, message, path } = error;
    throw new CliError({ message, code, path, place: local.place(path) }, { cause: error });
  }
}

/** Returns the same form, for the places of errors in the files. It is undefined for invalid files. */
export function located(local: LocalMetadata): LocatedMetadata {
  try {
    return { local, sorted: canonical(local) };
  } catch (error) {
    if (error instanceof CliError) return { local, sorted: undefined };
    throw error;
  }
}

/** Converts the export of a service to the form of this version. */
export function canonicalExport(metadata: unknown): Members {
  const parsed = Metadata.safeParse(metadata);
  return parsed.success ? exportMetadata(withoutExcludedTriggers(parsed.data)) : (metadata as Members);
}

/** Returns the members that have no effect, each with its place. */
export function unsupportedMembers(local: LocalMetadata): readonly ErrorDetail[] {
  const sourceless = !('sources' in local.document);
  const document = sourceless
    ? { ...local.document, sources: [{ name: 'default', ...local.document }] }
    : local.document;
  const unsupported = strayMembers(Metadata, document)
    .filter(({ kind }) => kind === 'unsupported')
    .map(({ path, advice }) => ({
      message: `the member "${String(path.at(-1))}" has no effect; ${advice}`,
      path: jsonPath(path),
      place: local.place(path),
    }));
  return [...unsupported, ...unknownMembers(local)];
}

/** Returns the members that the service does not know and ignores, each with its place. */
export function unknownMembers(local: LocalMetadata): readonly ErrorDetail[] {
  return unknownMembersOf(local.document).map(({ path }) => ({
    message: `the member "${String(path.at(-1))}" is unknown and has no effect; remove it`,
    path: jsonPath(path),
    place: local.place(path),
  }));
}

/** Returns all validation errors at once; errors of a document without sources are found one by one. */
function shapeErrors(local: LocalMetadata): readonly ErrorDetail[] {
  if (!('sources' in local.document)) return [];
  const known = withoutMembers(
    local.document,
    unknownMembersOf(local.document).map(({ path }) => path),
  );
  return validationErrors(Metadata, known, 'metadata').map(({ path, message }) => ({
    message,
    path,
    code: 'parse-failed',
    place: local.place(path),
  }));
}
