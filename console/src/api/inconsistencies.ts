/** What `get_inconsistent_metadata` answers. */
import type { Client } from './client.ts';

export interface InconsistentObject {
  readonly type: string;
  readonly name: string;
  readonly reason: string;
  /** JSON path into the metadata. */
  readonly path: string;
  /** The object as it was written. */
  readonly definition: unknown;
}

/** Throws Failure. */
export async function readInconsistencies(client: Client, signal: AbortSignal): Promise<readonly InconsistentObject[]> {
  const answer = await client.command<{ readonly inconsistent_objects: readonly InconsistentObject[] }>(
    'get_inconsistent_metadata',
    {},
    signal,
  );
  return answer.inconsistent_objects;
}

/** The objects that cannot be used, and the members of the metadata that have no effect. */
export function groupBySeverity(objects: readonly InconsistentObject[]): {
  readonly broken: readonly InconsistentObject[];
  readonly unsupported: readonly InconsistentObject[];
} {
  return {
    broken: objects.filter(({ type }) => type !== 'unsupported'),
    unsupported: objects.filter(({ type }) => type === 'unsupported'),
  };
}

/** The reason without the words that stand before every one of them. */
export function reasonOf({ reason }: InconsistentObject): string {
  return reason.replace(/^Inconsistent object: /, '');
}

/** `object_relation` as `Object relation`. */
export function kindOf({ type }: InconsistentObject): string {
  const words = type.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
