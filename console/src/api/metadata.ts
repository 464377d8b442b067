/** Commands on the metadata as a whole: export, preview, import. All functions throw Failure. */
import type { Client } from './client.ts';
import { parseExactly } from './exact-json.ts';
import { Failure, rejectionOf } from './failure.ts';
import { groupBySeverity, type InconsistentObject } from './inconsistencies.ts';
import { type Timed, timed } from './polling.ts';

export interface Exported {
  /** Increases with every change of the metadata. */
  readonly resource_version: number;
  readonly metadata: unknown;
}

export interface SchemaChange {
  /** A schema coordinate, such as `author.name`. */
  readonly at: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly from?: string;
  readonly to?: string;
  /** Whether requests that were valid before can become invalid. */
  readonly breaking: boolean;
}

export interface RoleChanges {
  readonly role: string;
  readonly changes: readonly SchemaChange[];
}

/** The result of a dry run with other metadata. */
export interface Preview {
  readonly is_consistent: boolean;
  readonly inconsistent_objects: readonly InconsistentObject[];
  /** For each role whose schema would change. */
  readonly schema_changes: readonly RoleChanges[];
}

/** A preview with the metadata that it is about, so that the import applies what was shown. */
export interface ImportPlan extends Preview {
  /** The metadata as JSON text. */
  readonly written: string;
  /** Resource version of the metadata that would be replaced. */
  readonly replaces: number;
}

export async function exportMetadata(client: Client, signal?: AbortSignal): Promise<Exported> {
  return (await send(client, '{"type":"export_metadata","version":2,"args":{}}', signal)) as Exported;
}

/** Runs an import as a dry run. `text` is the content of the chosen file or the typed text. */
export async function previewImport(client: Client, text: string): Promise<ImportPlan> {
  const written = writtenMetadata(text);
  const { resource_version: replaces } = await exportMetadata(client);
  const preview = await client.command<Preview>('replace_metadata', `{"metadata":${written},"dry_run":true}`);
  return { ...preview, written, replaces };
}

/** Replaces the metadata. Fails with a conflict when the metadata changed since the preview. */
export async function importMetadata(client: Client, tried: ImportPlan): Promise<void> {
  const { written, replaces, inconsistent_objects } = tried;
  const isBroken = groupBySeverity(inconsistent_objects).broken.length > 0;
  const args = `{"metadata":${written},"allow_inconsistent_metadata":${isBroken}}`;
  await send(client, `{"type":"replace_metadata","version":2,"resource_version":${replaces},"args":${args}}`);
}

/** Introspects all databases and remote schemas again. Returns the objects that cannot be used then. */
export async function reloadMetadata(client: Client): Promise<readonly InconsistentObject[]> {
  const args = { reload_sources: true, reload_remote_schemas: true };
  const response = await client.command<Partial<Preview>>('reload_metadata', args);
  return groupBySeverity(response.inconsistent_objects ?? []).broken;
}

/** Removes all inconsistent objects from the metadata. */
export async function dropInconsistent(client: Client): Promise<void> {
  await client.command('drop_inconsistent_metadata', {});
}

export interface ServiceNode {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly components: readonly string[];
  /** ISO 8601 in UTC, by the clock of the database. */
  readonly started_at: string;
  readonly seen_at: string;
  readonly alive: boolean;
  readonly events_in_hand: number;
}

export interface Nodes {
  readonly nodes: readonly ServiceNode[];
  readonly answered_by: string | null;
}

export function readNodes(client: Client, signal: AbortSignal): Promise<Timed<Nodes>> {
  return timed(client.command<Nodes>('get_nodes', {}, signal));
}

export interface Setting {
  /** Name of the environment variable. */
  readonly name: string;
  readonly flag: string;
  readonly value: string | null;
  readonly from: 'default' | 'environment' | 'flag';
  readonly default: string | null;
  readonly meaning: string;
}

export async function readConfiguration(client: Client, signal: AbortSignal): Promise<readonly Setting[]> {
  return (await client.command<{ settings: readonly Setting[] }>('get_configuration', {}, signal)).settings;
}

async function send(client: Client, body: string, signal?: AbortSignal): Promise<unknown> {
  const response = await client.post('/v1/metadata', body, {}, signal);
  if (response.status !== 200) throw rejectionOf(response.status, response.body);
  return response.body;
}

/**
 * Returns the metadata in a file as JSON text. Accepts the complete response of `export_metadata`. Preserves all
 * digits.
 */
export function writtenMetadata(text: string): string {
  const read = parsed(text);
  if (typeof read !== 'object' || read === null || Array.isArray(read)) {
    throw new Failure({
      code: 'parse-failed',
      message: 'The metadata must be a JSON object, as the export writes it.',
    });
  }
  return JSON.stringify('metadata' in read && 'resource_version' in read ? read.metadata : read);
}

function parsed(text: string): unknown {
  try {
    return parseExactly(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Failure({ code: 'parse-failed', message: `This is no JSON: ${why}` }, error);
  }
}
