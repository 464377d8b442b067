/** `joinery metadata apply`, `diff` and `validate`: a project's metadata against a running service. */
import type { InconsistentObject, ReplacedMetadata, RoleSchemaChanges } from '@joinery/metadata/api/metadata';
import { CliError, type ErrorDetail } from '../../cli-error.ts';
import type { Connection } from '../../client/connection.ts';
import { ServiceError } from '../../client/connection.ts';
import { requireSameVersion } from '../../client/service-version.ts';
import { printJson, printLine, wantsJson, warn, withProgress } from '../../print.ts';
import { type LocalMetadata, readMetadata } from '../../project/metadata-directory.ts';
import { canonical, canonicalExport, located, unknownMembers, unsupportedMembers } from './canonical.ts';
import { objectChanges } from './objects.ts';
import { type MetadataFlags, type MetadataProject, openMetadata } from './open-metadata.ts';
import {
  bySeverity,
  causeErrors,
  inconsistencyErrors,
  type PlacedChange,
  placed,
  printChanges,
  printDetails,
  warnUnsupported,
} from './report.ts';

export interface ApplyFlags extends MetadataFlags {
  readonly allowInconsistent?: boolean;
  /** Treats objects that cannot be used as errors. */
  readonly failOnInconsistent?: boolean;
  /** The name of `failOnInconsistent` in the CLI of Hasura v2. */
  readonly disallowInconsistentMetadata?: boolean;
  /** Treats objects that cannot be used and members without effect as errors. */
  readonly strict?: boolean;
  readonly dryRun?: boolean;
  readonly anyVersion?: boolean;
  /** With a dry run: exit code 2 where there are differences. */
  readonly exitCode?: boolean;
}

/** Resolves with the exit code. Throws CliError where nothing changed. */
export async function apply(flags: ApplyFlags, environment: NodeJS.ProcessEnv): Promise<number> {
  const opened = await openMetadata(flags, environment);
  const local = await readMetadata(opened.location);
  if (flags.anyVersion !== true) await requireSameVersion(opened.connection);
  if (flags.dryRun === true) return preview(flags, opened.connection, local);
  await applyLocal(opened, local, flags);
  return 0;
}

/** Applies metadata that was read, and prints the result. Throws CliError where nothing changed, with code `conflict` after a change. */
export async function applyLocal(
  { connection, name }: Pick<MetadataProject, 'connection' | 'name'>,
  local: LocalMetadata,
  flags: ApplyFlags,
): Promise<void> {
  const json = wantsJson(flags);
  const ignored = flags.strict === true ? [...local.warnings, ...unsupportedMembers(local)] : [];
  if (ignored.length > 0) throw new CliError(ignored);
  const { resource_version: resourceVersion } = await connection.command('export_metadata', {}, { version: 2 });
  const response = await replace(connection, local, flags, { resourceVersion });
  const { errors, causes, warnings, limits } = problemsOf(response, local);
  if (json) printJson({ applied: true, is_consistent: response.is_consistent, faults: errors, warnings, limits });
  else if (errors.length === 0) printLine(`Applied ${name} to ${connection.endpoint}.`);
  else {
    warn(`Warning: applied ${name} to ${connection.endpoint}, but these objects cannot be used:`);
    printDetails(causes, warn);
  }
  if (!json) warnUnsupported(warnings);
  if (!json) warnLimits(limits);
}

function problemsOf(response: ReplacedMetadata, local: LocalMetadata) {
  const { broken, unsupported } = bySeverity(response.inconsistent_objects);
  const files = broken.length + unsupported.length > 0 ? located(local) : undefined;
  return {
    errors: inconsistencyErrors(broken, files),
    /** The errors with one for each cause. */
    causes: causeErrors(broken, files),
    warnings: [...local.warnings, ...unknownMembers(local), ...inconsistencyErrors(unsupported, files)],
    /** The API limits that reject stored or recent operations. */
    limits: (response.warnings ?? [])
      .filter(({ type }) => type === API_LIMITS)
      .map(({ message, path }) => ({ message, path, place: local.place(path) })),
  };
}

/** The type of the warnings about API limits. */
const API_LIMITS = 'api_limits';

function warnLimits(limits: readonly ErrorDetail[]): void {
  if (limits.length === 0) return;
  warn('Warning: API limits of the metadata, which the community edition of Hasura v2 ignores, reject operations:');
  printDetails(limits, warn);
  warn(
    '  Raise or remove the limits, or set JOINERY_ENFORCE_API_LIMITS=false on the service to have them reported alone.',
  );
}

/** Whether objects that cannot be used are errors. As for Hasura v2, they are warnings by default. */
function rejectsInconsistent(flags: ApplyFlags): boolean {
  if (flags.failOnInconsistent === true || flags.disallowInconsistentMetadata === true) return true;
  return flags.strict === true && flags.allowInconsistent !== true;
}

/** Prints what `apply` would change. */
export async function diff(folders: readonly string[], flags: ApplyFlags, environment: NodeJS.ProcessEnv) {
  const [first, second] = folders;
  if (second !== undefined) return compareFolders(first ?? '', second, flags);
  const { location, connection } = await openMetadata(
    first === undefined ? flags : { ...flags, dir: first },
    environment,
  );
  const local = await readMetadata(location);
  if (flags.anyVersion !== true) await requireSameVersion(connection);
  return preview(flags, connection, local);
}

/** Checks the files without a service. */
export async function validate(flags: MetadataFlags, environment: NodeJS.ProcessEnv): Promise<number> {
  const json = wantsJson(flags);
  const { location, name } = await openMetadata(flags, environment);
  const local = await readMetadata(location);
  canonical(local);
  const warnings = [...local.warnings, ...unsupportedMembers(local)];
  if (json) printJson({ is_valid: true, warnings });
  else warnUnsupported(warnings);
  if (!json) printLine(`${name} is well-formed; "joinery metadata apply --dry-run" checks it against a service.`);
  return 0;
}

async function preview(flags: ApplyFlags, connection: Connection, local: LocalMetadata): Promise<number> {
  const wanted = canonical(local);
  const { metadata } = await connection.command('export_metadata', {}, { version: 2 });
  const response = await replace(connection, local, { allowInconsistent: true }, { dryRun: true });
  const changes = placed(objectChanges(canonicalExport(metadata), wanted), local, wanted);
  const { errors, causes, warnings, limits } = problemsOf(response, local);
  const problems = { errors: wantsJson(flags) ? errors : causes, warnings, limits };
  printPreview(flags, changes, problems, response.schema_changes);
  if (errors.length > 0 && rejectsInconsistent(flags)) return 1;
  if (warnings.length > 0 && flags.strict === true) return 1;
  return flags.exitCode === true && changes.length > 0 ? 2 : 0;
}

async function compareFolders(first: string, second: string, flags: ApplyFlags): Promise<number> {
  const [before, after] = [await readMetadata({ directory: first }), await readMetadata({ directory: second })];
  const wanted = canonical(after);
  const changes = placed(objectChanges(canonical(before), wanted), after, wanted);
  printPreview(flags, changes, { errors: [], warnings: after.warnings, limits: [] });
  return flags.exitCode === true && changes.length > 0 ? 2 : 0;
}

function printPreview(
  flags: ApplyFlags,
  changes: readonly PlacedChange[],
  { errors, warnings, limits }: Readonly<Record<'errors' | 'warnings' | 'limits', readonly ErrorDetail[]>>,
  schemas?: readonly RoleSchemaChanges[],
): void {
  if (wantsJson(flags)) {
    const isConsistent = errors.length + warnings.length === 0;
    printJson({
      changes,
      ...(schemas && { schema_changes: schemas }),
      is_consistent: isConsistent,
      faults: errors,
      warnings,
      limits,
    });
    return;
  }
  if (changes.length === 0) printLine('No differences.');
  printChanges(changes, schemas);
  warnUnsupported(warnings);
  warnLimits(limits);
  if (errors.length === 0) return;
  warn('These objects could not be used:');
  printDetails(errors, warn);
}

async function replace(
  connection: Connection,
  local: LocalMetadata,
  flags: ApplyFlags,
  { resourceVersion, dryRun }: { readonly resourceVersion?: number; readonly dryRun?: boolean },
): Promise<ReplacedMetadata> {
  const args = {
    allow_inconsistent_metadata: !rejectsInconsistent(flags),
    metadata: local.document,
    ...(flags.strict === true && { allow_warnings: false }),
    ...(dryRun === true && { dry_run: true }),
  };
  try {
    const send = () => connection.command('replace_metadata', args, { version: 2, resourceVersion });
    return await withProgress(dryRun === true ? 'checking the metadata' : 'applying the metadata', send);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw explained(error, local);
  }
}

/** Adds places in the files to an error of the service. */
function explained(error: ServiceError, local: LocalMetadata): CliError {
  const { code, path, reason, internal } = error;
  if (code === 'conflict') {
    const advice = 'the metadata changed at the same time; check "joinery metadata diff", then apply again';
    return new CliError({ code, path, message: `nothing was applied: ${advice}` }, { cause: error });
  }
  if (Array.isArray(internal) && internal.length > 0) {
    return new CliError(causeErrors(internal as readonly InconsistentObject[], located(local)), { cause: error });
  }
  if (!path.startsWith('$.args.metadata')) return error;
  const place = local.place(`$${path.slice('$.args.metadata'.length)}`);
  return new CliError({ code, path, message: `${reason} (${code})`, place }, { cause: error });
}
