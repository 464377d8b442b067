/** The site has the JSON Schemas of the metadata files. */
import { readFileSync } from 'node:fs';
import { jsonSchemas } from '@joinery/metadata/files/json-schema';
import { expect, it } from 'vitest';
import { site } from './site.ts';

it.each([...jsonSchemas()])('schemas/%s is that of the sources', (name, schema) => {
  expect(JSON.parse(readFileSync(`${site}schemas/${name}`, 'utf8'))).toEqual(schema);
});
