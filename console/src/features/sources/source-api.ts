/** Commands that change a source. All functions throw Failure. */
import type { RoleSchemaChanges } from '@joinery/metadata/api/metadata';
import type { Client } from '../../api/client.ts';
import { exportMetadata } from '../../api/metadata.ts';
import type { SourceChange } from './source-draft.ts';

/** Updates a source. `basedOn` as for `command`. Changes nothing when the database cannot be introspected. */
export async function updateSource(
  client: Client,
  name: string,
  change: SourceChange,
  basedOn: number | undefined,
): Promise<void> {
  await client.command('pg_update_source', { name, ...change }, { basedOn });
}

interface Exported {
  readonly sources?: readonly ({ readonly name: string } & object)[];
}

/** Returns how other names would change the schema of each role. A dry run. */
export async function previewNames(
  client: Client,
  name: string,
  customization: object | null,
): Promise<readonly RoleSchemaChanges[]> {
  const metadata = (await exportMetadata(client)).metadata as Exported;
  const sources = (metadata.sources ?? []).map((one) => (one.name === name ? { ...one, customization } : one));
  const args = { metadata: { ...metadata, sources }, dry_run: true };
  return (await client.command('replace_metadata', args)).schema_changes ?? [];
}
