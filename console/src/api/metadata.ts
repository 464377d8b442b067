/** The metadata as a whole: one query for all pages, export, preview, import. All functions throw Failure. */
import type { InconsistentObject, MetadataExport, ReplacedMetadata } from '@joinery/metadata/api/metadata';
import type { ConfigurationSetting, Nodes } from '@joinery/metadata/api/nodes';
import type { ExportedMetadata } from '@joinery/metadata/document/exported-metadata';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { Client } from './client.ts';
import { useClient } from './context.ts';
import { parseExactly } from './exact-json.ts';
import { Failure } from './failure.ts';
import { groupBySeverity } from './inconsistencies.ts';
import { type Timed, timed } from './polling.ts';

/** A preview with the metadata that it is about, so that the import applies what was shown. */
export interface ImportPlan extends ReplacedMetadata {
  /** The metadata as JSON text. */
  readonly written: string;
  /** Resource version of the metadata that would be replaced. */
  readonly replaces: number;
}

/**
 * Queries the part of the metadata that `select` returns. All callers share one cached export, which every change of
 * the metadata refetches. `select` must be stable: it runs when the function or the export changes.
 */
export function useMetadata<Selected>(
  select: (read: MetadataExport) => Selected,
  refetchInterval: number | false = false,
): UseQueryResult<Selected> {
  const client = useClient();
  return useQuery({
    queryKey: ['metadata', 'export'],
    queryFn: ({ signal }) => exportMetadata(client, signal),
    select,
    refetchInterval,
  });
}

/** For `useMetadata`: the metadata and its version. */
export function wholeExport(read: MetadataExport): MetadataExport {
  return read;
}

/** For `useMetadata`: the metadata without its version. */
export function metadataOf({ metadata }: MetadataExport): ExportedMetadata {
  return metadata;
}

/** For `useMetadata`: the resource version. */
export function versionOf({ resource_version }: MetadataExport): number {
  return resource_version;
}

export async function exportMetadata(client: Client, signal?: AbortSignal): Promise<MetadataExport> {
  return client.command('export_metadata', {}, { signal, version: 2 });
}

/** Runs an import as a dry run. `text` is the content of the chosen file or the typed text. */
export async function previewImport(client: Client, text: string): Promise<ImportPlan> {
  const written = writtenMetadata(text);
  const { resource_version: replaces } = await exportMetadata(client);
  const preview = await client.command('replace_metadata', `{"metadata":${written},"dry_run":true}`);
  return { ...preview, written, replaces };
}

/** Replaces the metadata. Fails with a conflict when the metadata changed since the preview. */
export async function importMetadata(client: Client, tried: ImportPlan): Promise<void> {
  const { written, replaces, inconsistent_objects } = tried;
  const isBroken = groupBySeverity(inconsistent_objects).broken.length > 0;
  const args = `{"metadata":${written},"allow_inconsistent_metadata":${isBroken}}`;
  await client.command('replace_metadata', args, { version: 2, basedOn: replaces });
}

/** Introspects all databases and remote schemas again. Returns the objects that cannot be used then. */
export async function reloadMetadata(client: Client): Promise<readonly InconsistentObject[]> {
  const args = { reload_sources: true, reload_remote_schemas: true };
  const response = await client.command('reload_metadata', args);
  return groupBySeverity(response.inconsistent_objects ?? []).broken;
}

/** Removes all inconsistent objects from the metadata. */
export async function dropInconsistent(client: Client): Promise<void> {
  await client.command('drop_inconsistent_metadata', {});
}

export function readNodes(client: Client, signal: AbortSignal): Promise<Timed<Nodes>> {
  return timed(client.command('get_nodes', {}, { signal }));
}

export async function readConfiguration(client: Client, signal: AbortSignal): Promise<readonly ConfigurationSetting[]> {
  return (await client.command('get_configuration', {}, { signal })).settings;
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

/** Returns the resource version when a form was opened; undefined until loaded. Passed to `command`, it prevents that a form overwrites changes made elsewhere. */
export function useInitialVersion(): number | undefined {
  const client = useClient();
  const form = useId();
  const { data } = useQuery({
    queryKey: ['opened-version', form],
    queryFn: ({ signal }) => client.command('get_resource_version', {}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return data?.resource_version;
}
