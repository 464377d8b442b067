/** The source tree keeps its floors, and the check of it notices when it does not. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Manifests, tooLong, violations } from './floors.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const workspaces = ['metadata', 'server', 'cli', 'console'];
/** What files import of their own workspace: code, and in the console styles and pictures. */
const imported = /\.(tsx?|css|svg)$/;

function realTree(): Map<string, string> {
  const tree = new Map<string, string>();
  for (const workspace of workspaces) {
    for (const entry of readdirSync(`${root}${workspace}/src`, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !imported.test(entry.name)) continue;
      const path = `${entry.parentPath}/${entry.name}`;
      tree.set(path.slice(root.length), readFileSync(path, 'utf8'));
    }
  }
  return tree;
}

const manifests: Manifests = new Map(
  workspaces.map((workspace) => {
    const manifest = JSON.parse(readFileSync(`${root}${workspace}/package.json`, 'utf8')) as {
      dependencies?: Record<string, string>;
      devDependencies?: Record<string, string>;
    };
    // The console is published as built files: what it is built from are development dependencies.
    return [workspace, new Set(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }))];
  }),
);

/** Violations of a tree made of these files alone. */
function check(files: Readonly<Record<string, string>>): string[] {
  return violations(new Map(Object.entries(files)), manifests);
}

test('the source tree breaks no rule', () => {
  const tree = realTree();
  expect(tree.size).toBeGreaterThan(10);
  expect(violations(tree, manifests)).toEqual([]);
});

test('no file of the tests is longer than one of the source', () => {
  const folders = ['metadata/test', 'server/test', 'cli/test', 'console/e2e'].filter((folder) =>
    existsSync(root + folder),
  );
  const files = folders.flatMap((folder) =>
    readdirSync(`${root}${folder}`, { withFileTypes: true, recursive: true }).flatMap((entry): [string, string][] => {
      const path = `${entry.parentPath.slice(root.length)}/${entry.name}`;
      return entry.isFile() && /\.(ts|mjs)$/.test(entry.name) ? [[path, readFileSync(root + path, 'utf8')]] : [];
    }),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap(([path, text]) => tooLong(path, text))).toEqual([]);
});

describe('the check notices', () => {
  const ground = { 'server/src/base/errors.ts': 'export const one = 1;\n' };

  test.each([
    ['an import from a higher floor', 'base/errors.ts', "import { a } from '../plan/plan.ts';", 'a higher floor'],
    [
      'a type import from a higher floor',
      'base/errors.ts',
      "import type { A } from '../plan/plan.ts';",
      'a higher floor',
    ],
    ['an inline type import', 'base/errors.ts', "type A = import('../plan/plan.ts').A;", 'a higher floor'],
    ['a dynamic import', 'base/errors.ts', "const a = await import('../plan/plan.ts');", 'a higher floor'],
    ['an import for its effect', 'base/errors.ts', "import '../plan/plan.ts';", 'a higher floor'],
    ['a re-export', 'base/errors.ts', "export { a } from '../plan/plan.ts';\nconst b = 1;", 'a higher floor'],
    ['auth meeting events', 'auth/session.ts', "import { a } from '../events/claim.ts';", 'a neighbour'],
    ['events meeting auth', 'events/claim.ts', "import { a } from '../auth/session.ts';", 'a neighbour'],
    ['a file that is not there', 'plan/plan.ts', "import { a } from './gone.ts';", 'not there'],
    ['the driver outside its home', 'execute/run.ts', "import pg from 'pg';", 'pg has its home elsewhere'],
    ['a plugin outside its home', 'plan/plan.ts', "import a from '@fastify/cors';", 'has its home elsewhere'],
    [
      'a package that nobody declared',
      'http/app.ts',
      "import a from 'left-pad';",
      'not declared in server/package.json',
    ],
    [
      'a deep import of a package',
      'print/a.ts',
      "import a from 'graphql/utilities/a.js';",
      'graphql has its home elsewhere',
    ],
    ['graphql below the model', 'events/tables.ts', "import a from 'graphql';", 'graphql has its home elsewhere'],
    [
      'metadata below the model',
      'events/a.ts',
      "import { A } from '@joinery/metadata/schema/tables';",
      'from below the model',
    ],
    ['names in base', 'base/a.ts', "import { A } from '@joinery/metadata/names';", 'from below the model'],
    ['the server in the server', 'plan/a.ts', "import a from '@joinery/server';", 'only the CLI'],
    [
      'another workspace by its path',
      'plan/a.ts',
      "import a from '../../../metadata/src/names.ts';",
      'another workspace',
    ],
    ['export *', 'plan/a.ts', "export * from './plan.ts';\nexport const b = 1;", 'export *'],
    ['export * of types', 'plan/a.ts', "export type * from './plan.ts';\nexport const b = 1;", 'export *'],
    ['a barrel', 'plan/a.ts', "/** Role. */\nexport { a } from './plan.ts';", 'is a barrel'],
    ['a folder without a floor', 'misc/a.ts', 'export const a = 1;', 'stands on no floor'],
    ['a stray file at the top', 'stray.ts', 'export const a = 1;', 'stands on no floor'],
    ['a file over the wall', 'plan/a.ts', '\n'.repeat(401), 'has 401 lines'],
    ['a test over the wall', 'plan/a.test.ts', '\n'.repeat(401), 'has 401 lines'],
  ])('%s', (_rule, path, text, message) => {
    const found = check({
      ...ground,
      'server/src/plan/plan.ts': 'export const a = 1;\n',
      'server/src/auth/session.ts': 'export const a = 1;\n',
      'server/src/events/claim.ts': 'export const a = 1;\n',
      'metadata/src/names.ts': 'export const a = 1;\n',
      [`server/src/${path}`]: text,
    });
    expect(found.filter((one) => one.startsWith(`server/src/${path}: `) && one.includes(message))).toHaveLength(1);
  });

  test('a cycle within a folder, types included', () => {
    const found = check({
      'server/src/plan/a.ts': "import type { B } from './b.ts';\n",
      'server/src/plan/b.ts': "import { C } from './c.ts';\n",
      'server/src/plan/c.ts': "import type { A } from './a.ts';\n",
    });
    expect(found).toEqual([
      'server/src/plan/a.ts: import cycle server/src/plan/a.ts -> server/src/plan/b.ts -> server/src/plan/c.ts -> server/src/plan/a.ts',
    ]);
  });

  test('a node module or a package other than zod in metadata', () => {
    const found = check({ 'metadata/src/a.ts': "import fs from 'node:fs';\nimport { parse } from 'yaml';\n" });
    expect(found).toEqual([
      'metadata/src/a.ts: imports node:fs, but metadata must run in a browser',
      'metadata/src/a.ts: imports yaml, not declared in metadata/package.json',
      'metadata/src/a.ts: yaml has its home elsewhere',
    ]);
  });

  test('a console that reaches past the public APIs, or for what no browser has', () => {
    const found = check({
      'console/src/a.tsx': [
        "import { start } from '@joinery/server';",
        "import { readFile } from 'node:fs/promises';",
        "import { Client } from 'pg';",
        "import { chromium } from 'playwright-core';",
        "import { One } from '../../metadata/src/names.ts';",
      ].join('\n'),
      'metadata/src/names.ts': 'export type One = 1;\n',
    });
    expect(found).toEqual([
      'console/src/a.tsx: imports @joinery/server, not declared in console/package.json',
      'console/src/a.tsx: only the CLI imports the server, by its entry',
      'console/src/a.tsx: imports node:fs/promises, but console must run in a browser',
      'console/src/a.tsx: imports pg, not declared in console/package.json',
      'console/src/a.tsx: pg has its home elsewhere',
      'console/src/a.tsx: playwright-core has its home elsewhere',
      'console/src/a.tsx: reaches into another workspace at metadata/src/names.ts',
    ]);
  });

  test('a package declared where nothing may import it', () => {
    const declared = new Map([['cli', new Set(['pg', 'yaml', '@joinery/server'])]]);
    expect(violations(new Map(), declared)).toEqual(['cli/package.json: declares pg, which has no home there']);
  });

  test('an entry of the server that is not its public one', () => {
    expect(check({ 'cli/src/a.ts': "import { a } from '@joinery/server/dist/main.js';\n" })).toEqual([
      'cli/src/a.ts: only the CLI imports the server, by its entry',
    ]);
  });
});

describe('the check lets pass', () => {
  test('lower floors, deeper folders, comments that look like imports, and packages at home', () => {
    const found = check({
      'server/src/base/errors.ts': "/* import { a } from '../plan/plan.ts'; */\n// import('../plan/plan.ts')\n",
      'server/src/plan/plan.ts': "import { GraphQLError } from 'graphql';\nimport { one } from '../base/errors.ts';\n",
      'server/src/http/routes/health.ts':
        "import { app } from '../app.ts';\nimport { plan } from '../../plan/plan.ts';\n",
      'server/src/http/app.ts': "import fastify from 'fastify';\nimport { z } from 'zod';\n",
      'server/src/events/claim.ts': "import { SourceName } from '@joinery/metadata/names';\n",
      'server/src/main.ts': "import { config } from './config/config.ts';\nimport { app } from './http/app.ts';\n",
      'server/src/config/config.ts': "import { z } from 'zod';\n",
      'server/src/plan/plan.test.ts': "import { test } from 'vitest';\nimport { app } from '../http/app.ts';\n",
      'console/src/a.tsx':
        "import { Button } from '@mantine/core';\nimport '@mantine/core/styles.css';\nimport mark from './mark.svg';\nimport { Header } from '@joinery/metadata/schema/headers';\n",
      'console/src/mark.svg': '<svg/>',
      'cli/src/commands/serve/index.ts':
        "import { start } from '@joinery/server';\nimport { Command } from 'commander';\n",
    });
    expect(found).toEqual([]);
  });
});
