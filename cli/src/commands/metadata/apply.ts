/** `joinery metadata apply`, `diff` and `validate`: a project's metadata against a running service. */
import type {
  Consistency,
  InconsistentObject,
  ReplacedMetadata,
  RoleSchemaChanges,
} from '@joinery/metadata/api/metadata';
import { type Fault, ProjectError } from '../../cli-error.ts';
import type { Connection } from '../../client/connection.ts';
import { RefusedError } from '../../client/connection.ts';
import { requireSameVersion } from '../../client/service-version.ts';
import { say, sayJson, wantsJson, warn } from '../../print.ts';
import { type LocalMetadata, readMetadata } from '../../project/metadata-directory.ts';
import { canonical, canonicalExport, unsupportedFaults } from './canonical.ts';
import { objectChanges } from './objects.ts';
import { type MetadataFlags, openMetadata } from './open-metadata.ts';
import {
  bySeverity,
  inconsistencyFaults,
  type PlacedChange,
  placed,
  sayChanges,
  sayFaults,
  warnUnsupported,
} from './report.ts';

export interface ApplyFlags extends MetadataFlags {
  readonly allowInconsistent?: boolean;
  /** Members without effect are errors. */
  readonly strict?: boolean;
  readonly dryRun?: boolean;
  readonly anyVersion?: boolean;
  /** With a dry run: 2 where there are differences. */
  readonly exitCode?: boolean;
}

/** Resolves with the exit code. Throws ProjectError where nothing was changed. */
export async function apply(flags: ApplyFlags, environment: NodeJS.ProcessEnv): Promise<number> {
  const json = wantsJson(flags);
  const { location, connection, name } = await openMetadata(flags, environment);
  const local = await readMetadata(location);
  if (flags.anyVersion !== true) await requireSameVersion(connection);
  if (flags.dryRun === true) return preview(flags, connection, local);
  if (flags.strict === true && local.warnings.length > 0) throw new ProjectError(local.warnings);
  const { resource_version: resourceVersion } = await connection.command('export_metadata', {}, { version: 2 });
  const answer = await replace(connection, local, flags, { resourceVersion });
  const { faults, warnings } = judged(answer, local);
  if (json) sayJson({ applied: true, is_consistent: answer.is_consistent, faults, warnings });
  else if (faults.length === 0) say(`Applied ${name} to ${connection.endpoint}.`);
  else {
    warn(`Applied ${name} to ${connection.endpoint}, but these objects cannot be used:`);
    sayFaults(faults, warn);
  }
  if (!json) warnUnsupported(warnings);
  return 0;
}

function judged(answer: Consistency, local: LocalMetadata) {
  const { broken, unsupported } = bySeverity(answer.inconsistent_objects);
  return {
    faults: inconsistencyFaults(broken, local),
    warnings: [...local.warnings, ...inconsistencyFaults(unsupported, local)],
  };
}

/** What applying would change; nothing is. */
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

/** Without a service: what can be seen in the files alone. */
export async function validate(flags: MetadataFlags, environment: NodeJS.ProcessEnv): Promise<number> {
  const json = wantsJson(flags);
  const { location, name } = await openMetadata(flags, environment);
  const local = await readMetadata(location);
  canonical(local);
  const warnings = [...local.warnings, ...unsupportedFaults(local)];
  if (json) sayJson({ is_valid: true, warnings });
  else warnUnsupported(warnings);
  if (!json) say(`${name} is well-formed; "joinery metadata apply --dry-run" holds it against a service.`);
  return 0;
}

async function preview(flags: ApplyFlags, connection: Connection, local: LocalMetadata): Promise<number> {
  const wanted = canonical(local);
  const { metadata } = await connection.command('export_metadata', {}, { version: 2 });
  const answer = await replace(
    connection,
    local,
    { ...flags, allowInconsistent: true, strict: false },
    { dryRun: true },
  );
  const changes = placed(objectChanges(canonicalExport(metadata), wanted), local, wanted);
  const { faults, warnings } = judged(answer, local);
  tell(flags, changes, answer.schema_changes, faults, warnings);
  if (faults.length > 0 && flags.allowInconsistent !== true) return 1;
  if (warnings.length > 0 && flags.strict === true) return 1;
  return flags.exitCode === true && changes.length > 0 ? 2 : 0;
}

async function compareFolders(first: string, second: string, flags: ApplyFlags): Promise<number> {
  const [before, after] = [await readMetadata({ directory: first }), await readMetadata({ directory: second })];
  const wanted = canonical(after);
  const changes = placed(objectChanges(canonical(before), wanted), after, wanted);
  tell(flags, changes, undefined, [], after.warnings);
  return flags.exitCode === true && changes.length > 0 ? 2 : 0;
}

function tell(
  flags: ApplyFlags,
  changes: readonly PlacedChange[],
  schemas: readonly RoleSchemaChanges[] | undefined,
  faults: readonly Fault[],
  warnings: readonly Fault[],
): void {
  if (wantsJson(flags)) {
    const isConsistent = faults.length + warnings.length === 0;
    sayJson({ changes, ...(schemas && { schema_changes: schemas }), is_consistent: isConsistent, faults, warnings });
    return;
  }
  if (changes.length === 0) say('No differences.');
  sayChanges(changes, schemas);
  warnUnsupported(warnings);
  if (faults.length === 0) return;
  warn('These objects could not be used:');
  sayFaults(faults, warn);
}

async function replace(
  connection: Connection,
  local: LocalMetadata,
  flags: ApplyFlags,
  { resourceVersion, dryRun }: { readonly resourceVersion?: number; readonly dryRun?: boolean },
): Promise<ReplacedMetadata> {
  const args = {
    allow_inconsistent_metadata: flags.allowInconsistent === true,
    metadata: local.document,
    ...(flags.strict === true && { allow_warnings: false }),
    ...(dryRun === true && { dry_run: true }),
  };
  try {
    return await connection.command('replace_metadata', args, { version: 2, resourceVersion });
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    throw explained(error, local);
  }
}

/** The refusal with the places in the files that it speaks of. */
function explained(error: RefusedError, local: LocalMetadata): ProjectError {
  const { code, path, reason, internal } = error;
  if (code === 'conflict') {
    const advice =
      'somebody else changed the metadata at the same time: look at "joinery metadata diff", then apply again';
    return new ProjectError({ code, path, message: `nothing was applied: ${advice}` }, { cause: error });
  }
  if (Array.isArray(internal) && internal.length > 0) {
    return new ProjectError(inconsistencyFaults(internal as readonly InconsistentObject[], local), { cause: error });
  }
  if (!path.startsWith('$.args.metadata')) return error;
  const place = local.place(`$${path.slice('$.args.metadata'.length)}`);
  return new ProjectError({ code, path, message: `${reason} (${code})`, place }, { cause: error });
}
