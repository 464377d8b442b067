/** `joinery deploy`: sources, migrations, metadata and seeds of a project, in this order. The first error stops it. */
import { CliError } from '../../cli-error.ts';
import { type Connection, ServiceError } from '../../client/connection.ts';
import { requireSameVersion } from '../../client/service-version.ts';
import { paint, printLine, warn } from '../../print.ts';
import type { Project } from '../../project/config.ts';
import { type LocalMetadata, readMetadata } from '../../project/metadata-directory.ts';
import { applyLocal } from '../metadata/apply.ts';
import { canonical, canonicalExport } from '../metadata/canonical.ts';
import { objectChanges } from '../metadata/objects.ts';
import { type MetadataFlags, type MetadataProject, openMetadata } from '../metadata/open-metadata.ts';
import { reloadDatabases } from '../migrate/consistency.ts';
import { migratedDatabases } from '../migrate/files.ts';
import { applyMigrations } from '../migrate/run.ts';
import { applySeeds } from '../migrate/seed.ts';
import { isUnderWay } from '../migrate/state.ts';
import { startOwnService } from './own-service.ts';
import { applySources, sourcesOf } from './sources.ts';
import { Deadline, NotReady, waitForService } from './wait.ts';

export interface DeployFlags extends MetadataFlags {
  readonly seed?: boolean;
  /** The name of `seed` in Hasura v2. */
  readonly withSeeds?: boolean;
  readonly check?: boolean;
  readonly strict?: boolean;
  readonly anyVersion?: boolean;
  /** Seconds. Undefined for one attempt. */
  readonly wait?: number;
  /** Starts a service in this process. `databaseUrl` implies it. */
  readonly inProcess?: boolean;
  readonly databaseUrl?: string;
}

/** The exit code where the service or the database is not ready in time. */
const NOT_READY = 3;

/** Resolves with the exit code. Throws CliError; what was completed before the error stays. */
export async function deploy(flags: DeployFlags): Promise<number> {
  const opened = await openMetadata(flags, process.env);
  const local = await readMetadata(opened.location);
  sourcesOf(local);
  const deadline = new Deadline(flags.wait);
  try {
    if (flags.inProcess === true || flags.databaseUrl !== undefined)
      await deployInProcess(opened, local, flags, deadline);
    else {
      if (flags.wait !== undefined) await waitForService(opened.connection, deadline, flags.anyVersion !== true);
      else if (flags.anyVersion !== true) await requireSameVersion(opened.connection);
      await deployTo(opened, local, flags, deadline);
    }
    return 0;
  } catch (error) {
    if (!(error instanceof NotReady)) throw error;
    warn(`${paint('red', 'joinery deploy:', process.stderr)} ${error.message}`);
    return NOT_READY;
  }
}

async function deployInProcess(
  opened: MetadataProject,
  local: LocalMetadata,
  flags: DeployFlags,
  deadline: Deadline,
): Promise<void> {
  if (flags.endpoint !== undefined) {
    throw new CliError('--endpoint names a running service; leave it out with --in-process and --database-url');
  }
  const own = await startOwnService(opened.project, flags);
  try {
    await deployTo({ ...opened, connection: own.connection }, local, flags, deadline);
  } finally {
    await own.stop();
  }
}

async function deployTo(
  { project, connection, name }: MetadataProject,
  local: LocalMetadata,
  flags: DeployFlags,
  deadline: Deadline,
): Promise<void> {
  const connected = await afterConflicts(() => applySources(connection, local));
  for (const source of connected) printLine(`${paint('green', 'connected')} source ${source}`);
  const place = { project, connection, databases: await databasesOf(project, sourcesOf(local).map(nameAndKind)) };
  const migrate = () => applyMigrations(place, { check: flags.check === true }, reloadDatabases);
  const made = await deadline.retry(isUnderWay, migrate);
  if (made.length === 0) printLine('No migrations to apply.');
  const isChanged = await afterConflicts(async () => {
    const { metadata } = await connection.command('export_metadata', {}, { version: 2 });
    const changes = objectChanges(canonicalExport(metadata), canonical(local));
    // Also without differences: the service compares the metadata with its databases again.
    await applyLocal({ connection, name }, local, {
      strict: flags.strict === true,
      allowInconsistent: flags.strict !== true,
    });
    return changes.length > 0;
  });
  const seeded = flags.seed === true || flags.withSeeds === true ? await seed(project, connection) : 0;
  if (connected.length + made.length + seeded === 0 && !isChanged) {
    printLine('Nothing to do: the service had the state of the project.');
  }
}

/** Attempts of a change of the metadata while others change it. */
const MAX_ATTEMPTS = 10;

/** Repeats a change that was rejected because the metadata changed at the same time, as by a second deployment. */
async function afterConflicts<T>(change: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await change();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isConflict(error)) throw error;
    }
  }
}

function isConflict(error: unknown): boolean {
  if (error instanceof ServiceError) return error.code === 'conflict';
  return error instanceof CliError && error.details.some(({ code }) => code === 'conflict');
}

interface DeclaredSource {
  readonly name: string;
  readonly kind: string;
}

function nameAndKind({ name, kind }: Readonly<Record<string, unknown>>): DeclaredSource {
  return { name: String(name), kind: String(kind ?? 'postgres') };
}

/** Kinds of sources that run migrations. */
const migratedKinds = new Set(['postgres', 'pg', 'citus', 'cockroach']);

/** Returns the sources that have migrations. Warns of folders that belong to no source. */
async function databasesOf(project: Project, sources: readonly DeclaredSource[]): Promise<readonly string[]> {
  const folders = await migratedDatabases(project.migrationsDirectory);
  return folders.filter((folder) => {
    const source = sources.find(({ name }) => name === folder);
    if (source !== undefined && migratedKinds.has(source.kind)) return true;
    const reason =
      source === undefined
        ? `the metadata has no source "${folder}"`
        : `sources of kind ${source.kind} are not supported`;
    warn(`${paint('yellow', 'Warning:', process.stderr)} skipped the migrations of ${folder}: ${reason}`);
    return false;
  });
}

/** Returns the number of files. */
async function seed(project: Project, connection: Connection): Promise<number> {
  const count = await applySeeds(project, connection, {});
  if (count === 0) printLine(`No seeds in ${project.seedsDirectory}.`);
  return count;
}
