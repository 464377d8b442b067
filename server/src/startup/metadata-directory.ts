/** Applies the directory of `JOINERY_METADATA_DIR` when the service starts. */
import { ADMIN_ROLE } from '@joinery/metadata/names';
import { isJsonObject } from '../base/json-value.ts';
import type { Observe } from '../base/telemetry/observe.ts';
import type { Config } from '../config/config.ts';
import type { Service } from '../service/service.ts';
import type { DatabaseWait } from './database-wait.ts';

/**
 * Replaces the stored metadata by the metadata directory, and logs the API limits that reject operations. Inconsistent
 * objects do not prevent the start.
 */
export async function applyDirectory(
  readMetadata: ((directory: string) => Promise<unknown>) | undefined,
  config: Config,
  service: Service,
  wait: DatabaseWait,
  observe: Observe,
): Promise<void> {
  if (config.metadataDir === undefined || readMetadata === undefined) return;
  const metadata = await readMetadata(config.metadataDir);
  const args = { allow_inconsistent_metadata: true, metadata };
  const command = { type: 'replace_metadata', version: 2, args };
  const session = { role: ADMIN_ROLE, variables: new Map() };
  const stored = await wait.run('store the metadata directory in', () => service.command(command, session, 'metadata'));
  for (const message of limitWarningsIn(stored)) observe({ kind: 'note', level: 'warn', where: 'metadata', message });
}

function limitWarningsIn(response: unknown): readonly string[] {
  if (!isJsonObject(response) || !Array.isArray(response.warnings)) return [];
  return response.warnings.flatMap((one: unknown) => {
    return isJsonObject(one) && one.type === 'api_limits' && typeof one.message === 'string' ? [one.message] : [];
  });
}
