/** Adds the sources of a project to a service before their tables, so that migrations can run on them. */
import type { Members } from '@joinery/metadata/sdl/actions';
import type { Connection } from '../../client/connection.ts';
import type { LocalMetadata } from '../../project/metadata-directory.ts';
import { canonical, canonicalExport } from '../metadata/canonical.ts';
import { isSame } from '../metadata/objects.ts';

/** Returns the sources of the project as an export has them. Throws CliError for invalid files. */
export function sourcesOf(local: LocalMetadata): readonly Members[] {
  return (canonical(local).sources ?? []) as readonly Members[];
}

/**
 * Adds the sources that the service does not have, without tables, and updates configurations that differ. All other
 * metadata stays. Returns the names of these sources.
 */
export async function applySources(connection: Connection, local: LocalMetadata): Promise<readonly string[]> {
  // Metadata without sources describes the source `default`, which the environment of the service configures.
  if (!('sources' in local.document)) return [];
  const { metadata, resource_version } = await connection.command('export_metadata', {}, { version: 2 });
  const present = (canonicalExport(metadata).sources ?? []) as readonly Members[];
  const wanted = sourcesOf(local);
  const byName = new Map(wanted.map((source) => [source.name, source]));
  const kept = present.map((source) => {
    const own = byName.get(source.name);
    return own === undefined || isSame(own.configuration, source.configuration)
      ? source
      : { ...source, configuration: own.configuration };
  });
  const names = new Set(present.map(({ name }) => name));
  const added = wanted
    .filter(({ name }) => !names.has(name))
    .map(({ tables: _tables, functions: _functions, ...settings }): Members => ({ ...settings, tables: [] }));
  const changed = [...kept.filter((source, index) => source !== present[index]), ...added];
  if (changed.length === 0) return [];
  const args = { allow_inconsistent_metadata: true, metadata: { ...metadata, sources: [...kept, ...added] } };
  await connection.command('replace_metadata', args, { version: 2, resourceVersion: resource_version });
  return changed.map(({ name }) => String(name));
}
