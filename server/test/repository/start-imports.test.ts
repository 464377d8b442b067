/** Libraries that only some requests need are not loaded at the start. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const source = fileURLToPath(new URL('../../src/', import.meta.url));

/** Each library would add 20 to 170 ms to every start. */
const late = [
  'undici',
  'prom-client',
  'jose',
  'pino-pretty',
  'croner',
  '@fastify/cors',
  '@fastify/static',
  '@opentelemetry/api',
  '@opentelemetry/sdk-trace-node',
  '@opentelemetry/sdk-metrics',
  '@opentelemetry/sdk-logs',
  '@opentelemetry/resources',
  'minisearch',
] as const;

/** Matches `import { a } from 'b'` and `import 'b'`, but neither `import type` nor `await import('b')`. */
const atStart = /^(?:import|export)\s+(?!type\b)(?:[^'"`;=()]*?\bfrom\s+)?['"]([^'"\n]+)['"]/gm;

function loadedAtStart(code: string): string[] {
  return [...code.matchAll(atStart)].map(([, specifier = '']) => specifier);
}

function imports(): readonly { readonly path: string; readonly specifier: string }[] {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(?<!\.test)\.ts$/.test(path),
  );
  return files.flatMap((path) => {
    const specifiers = loadedAtStart(readFileSync(`${source}${path}`, 'utf8'));
    return specifiers.map((specifier) => ({ path, specifier }));
  });
}

test('no file imports a library statically that only some requests need', () => {
  expect(imports().map(({ specifier }) => specifier)).toContain('graphql');
  expect(imports().filter(({ specifier }) => late.some((name) => specifier === name))).toEqual([]);
});

test('no file imports the SDK of the Model Context Protocol statically', () => {
  expect(imports().filter(({ specifier }) => specifier.startsWith('@modelcontextprotocol/'))).toEqual([]);
});

test.each([
  ["import { request } from 'undici';", ['undici']],
  ["import {\n  a,\n  b,\n} from 'undici';", ['undici']],
  ["import 'undici';", ['undici']],
  ["import type { Agent } from 'undici';", []],
  ["const { Agent } = await import('undici');", []],
])('%j imports %j at the start', (code, loaded) => {
  expect(loadedAtStart(code)).toEqual(loaded);
});
