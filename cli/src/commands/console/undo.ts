/** Reverts a change of the console: its SQL, its metadata and its files. */
import type { ProjectChange } from '@joinery/metadata/api/project';
import type { Members } from '@joinery/metadata/sdl/actions';
import { CliError } from '../../cli-error.ts';
import type { Connection } from '../../client/connection.ts';
import type { Project } from '../../project/config.ts';
import { compareVersions } from '../migrate/files.ts';
import { forget, guardRollback, readApplied } from '../migrate/state.ts';
import { fileless } from './migration-command.ts';
import { changedSince, requireWritable, restoreFiles } from './project-files.ts';

/** A change with what its undo needs. */
export interface RecordedChange extends ProjectChange {
  /** The metadata before; undefined where the change left it. */
  readonly metadataBefore: Members | undefined;
  readonly versionAfter: number;
}

/** Throws CliError where a file, the metadata or the migrations have changed since; nothing is reverted then. */
export async function undoChange(project: Project, connection: Connection, change: RecordedChange): Promise<void> {
  const stranger = await changedSince(project, change.files);
  if (stranger !== undefined) throw new CliError(`${stranger} was changed since; nothing was undone`);
  await requireLast(connection, change);
  await requireWritable(project.metadataDirectory);
  if (change.migrations.length > 0) await requireWritable(project.migrationsDirectory);
  const downs = change.migrations.flatMap((migration) => {
    const { source } = migration;
    const file = change.files.find(({ path }) => path.endsWith(`/${migration.version}_${migration.name}/down.sql`));
    const down = { type: 'run_sql', args: { source, sql: file?.after ?? '', cascade: true } };
    return [guardRollback(source, fileless(migration)), down, forget(source, fileless(migration))];
  });
  const replaced =
    change.metadataBefore === undefined && downs.length === 0 ? [] : await replacing(connection, change.metadataBefore);
  await connection.command('bulk', [...downs, ...replaced] as never, {
    api: '/v1/query',
    resourceVersion: change.versionAfter,
    timeoutMs: 0,
  });
  await restoreFiles(project, change.files).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new CliError(
      `${why}: the change was undone in the service, and its files remain; remove them, or write the metadata with "joinery metadata export"`,
      { cause: error },
    );
  });
}

/** The down SQL may drop metadata of the former state, which is restored in each case. */
async function replacing(connection: Connection, before: Members | undefined) {
  const metadata = before ?? (await connection.command('export_metadata', {}));
  return [{ type: 'replace_metadata', version: 2, args: { allow_inconsistent_metadata: true, metadata } }];
}

async function requireLast(connection: Connection, { migrations, versionAfter }: RecordedChange): Promise<void> {
  const { resource_version: version } = await connection.command('get_resource_version', {});
  if (version !== versionAfter) throw new CliError('the metadata was changed since; nothing was undone');
  for (const { source, version: own, name } of migrations) {
    const applied = await readApplied(connection, source);
    const last = applied.at(-1);
    if (last === undefined || !applied.some((one) => one.version === own)) {
      throw new CliError(`migration ${own}_${name} was rolled back since; nothing was undone`);
    }
    if (compareVersions(last.version, own) > 0) {
      throw new CliError(`migration ${last.version}_${last.name} was applied since; nothing was undone`);
    }
  }
}
