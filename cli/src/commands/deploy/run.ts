/** `joinery deploy`: sources, migrations, metadata and seeds of a project, in this order. The first error stops it. */
import type { Connection } from '../../client/connection.ts';
import { requireSameVersion } from '../../client/service-version.ts';
import { paint, printLine, warn } from '../../print.ts';
import type { Project } from '../../project/config.ts';
import { readMetadata } from '../../project/metadata-directory.ts';
import { apply } from '../metadata/apply.ts';
import { type MetadataFlags, openMetadata } from '../metadata/open-metadata.ts';
import { reloadDatabases } from '../migrate/consistency.ts';
import { migratedDatabases } from '../migrate/files.ts';
import { applyMigrations } from '../migrate/run.ts';
import { applySeeds } from '../migrate/seed.ts';
import { applySources, sourcesOf } from './sources.ts';

export interface DeployFlags extends MetadataFlags {
  readonly seed?: boolean;
  /** The name of `seed` in Hasura v2. */
  readonly withSeeds?: boolean;
  readonly check?: boolean;
  readonly strict?: boolean;
  readonly anyVersion?: boolean;
}

/** Resolves with the exit code. Throws CliError; what was completed before the error stays. */
export async function deploy(flags: DeployFlags): Promise<number> {
  const { project, connection, location } = await openMetadata(flags, process.env);
  const local = await readMetadata(location);
  const sources = sourcesOf(local);
  if (flags.anyVersion !== true) await requireSameVersion(connection);
  for (const name of await applySources(connection, local)) printLine(`${paint('green', 'connected')} source ${name}`);
  const place = { project, connection, databases: await databasesOf(project, sources.map(nameAndKind)) };
  const made = await applyMigrations(place, { check: flags.check === true }, reloadDatabases);
  if (made.length === 0) printLine('No migrations to apply.');
  await apply({ ...flags, anyVersion: true, allowInconsistent: flags.strict !== true }, process.env);
  if (flags.seed === true || flags.withSeeds === true) await seed(project, connection);
  return 0;
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

async function seed(project: Project, connection: Connection): Promise<void> {
  const count = await applySeeds(project, connection, {});
  if (count === 0) printLine(`No seeds in ${project.seedsDirectory}.`);
}
