/** The version of the service, from its package. */
import { readFileSync } from 'node:fs';

/** Such as `0.1.0`. Reads a file: ask once. */
export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  return (manifest as { readonly version: string }).version;
}
