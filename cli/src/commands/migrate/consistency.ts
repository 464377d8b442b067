/** Compares the metadata with the databases once, after all migrations. */
import type { InconsistentObject } from '@joinery/metadata/api/metadata';
import { CliError } from '../../cli-error.ts';
import type { Connection } from '../../client/connection.ts';
import { paint, warn } from '../../print.ts';

/** Lines that are printed; the rest is counted. */
const MAX_LINES = 10;

/** Has the service read the databases again, and prints the objects that it cannot use with them. */
export async function compareWithMetadata(connection: Connection, databases: readonly string[]): Promise<void> {
  const objects = await reloadDatabases(connection, databases);
  if (objects.length === 0) return;
  const [are, them] =
    objects.length === 1 ? ['object of the metadata is', 'it'] : ['objects of the metadata are', 'them'];
  warn(
    `${paint('yellow', 'Warning:', process.stderr)} after the migrations ${objects.length} ${are} not usable; apply the metadata that belongs to the migrations ("joinery metadata apply"):`,
  );
  for (const { name, reason } of objects.slice(0, MAX_LINES)) warn(`  ${name}: ${reason}`);
  const more = objects.length - MAX_LINES;
  if (more > 0) warn(`  and ${more} more; "joinery metadata inconsistency list" shows all of ${them}`);
}

/** Returns the objects that cannot be used afterwards. Throws CliError, which says that the migrations stay applied. */
export async function reloadDatabases(
  connection: Connection,
  databases: readonly string[],
): Promise<readonly InconsistentObject[]> {
  try {
    const args = { reload_sources: databases, reload_remote_schemas: false };
    const response = await connection.command('reload_metadata', args, { timeoutMs: 0 });
    return (response.inconsistent_objects ?? []).filter(({ type }) => type !== 'unsupported');
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError(
      `the migrations are applied, but the service did not read the databases again: ${error.message}; run "joinery metadata reload"`,
      { cause: error },
    );
  }
}
