/** The JSON Schemas of the metadata files, which editors can load from `/docs/schemas/` of a service. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonSchemas } from '@joinery/metadata/files/json-schema';

/** Writes the schemas below the folder of the site. */
export function writeSchemas(directory: string): void {
  const folder = join(directory, 'schemas');
  mkdirSync(folder, { recursive: true });
  for (const [name, schema] of jsonSchemas()) writeFileSync(join(folder, name), `${JSON.stringify(schema)}\n`);
}
