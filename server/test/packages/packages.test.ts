/** The npm packages of the workspaces, packed from the last build: their files, exports, types and dependencies. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

interface Manifest {
  readonly name: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const text = (...path: readonly string[]): string => readFileSync(join(root, ...path), 'utf8');
const importPattern =
  /^\s*(?:import|export)\s(?:[^'"`;]*?\sfrom\s)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

describe.each(['metadata', 'server', 'console', 'cli', 'docs'])('the package of the workspace %s', (workspace) => {
  const manifest = JSON.parse(text(workspace, 'package.json')) as Manifest;
  let folder: string;
  let tarball: Buffer;
  let paths: readonly string[];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'joinery-packages-'));
    const output = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: join(root, workspace),
      encoding: 'utf8',
      maxBuffer: 1e8,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [packed] = JSON.parse(output) as readonly Packed[];
    if (packed === undefined) throw new Error(`npm pack has packed nothing: ${output}`);
    tarball = readFileSync(join(folder, packed.filename));
    paths = packed.files.map(({ path }) => path);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has a license, a README and a build', () => {
    expect([paths.includes('LICENSE'), paths.includes('README.md'), paths.some((path) => path.startsWith('dist/'))]) //
      .toEqual([true, true, true]);
  });

  it('has the license of the repository', () => {
    expect(text(workspace, 'LICENSE')).toBe(text('LICENSE'));
  });

  it('has no tests and no state of the compiler', () => {
    expect(paths.filter((path) => /\.test\.|\.e2e\.|tsbuildinfo|(^|\/)test\//.test(path))).toEqual([]);
  });

  it('has source maps only with their sources', () => {
    const maps = paths.filter((path) => path.endsWith('.map'));
    const withoutSources = maps.filter((path) => !text(workspace, path).includes('"sourcesContent":['));
    expect(withoutSources).toEqual([]);
  });

  it('has the files of its commands', () => {
    const commands = Object.values(manifest.bin ?? {}).map((path) => path.replace('./', ''));
    expect(commands.filter((path) => !paths.includes(path))).toEqual([]);
  });

  it('declares every package that it imports', () => {
    const { dependencies, optionalDependencies, peerDependencies } = manifest;
    const declared = { ...dependencies, ...optionalDependencies, ...peerDependencies, [manifest.name]: '' };
    // The files of the console and of the documentation are bundles.
    const modules = ['console', 'docs'].includes(workspace) ? [] : paths.filter((path) => /\.m?js$/.test(path));
    const imported = modules.flatMap((path) =>
      [...text(workspace, path).matchAll(importPattern)].map((found) => found[1] ?? found[2] ?? ''),
    );
    const packages = imported
      .filter((name) => !name.startsWith('.') && !isBuiltin(name))
      .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
    expect([...new Set(packages)].filter((name) => !(name in declared))).toEqual([]);
  });

  it('passes publint, so that the file of every export exists', async () => {
    const { buffer } = tarball;
    const data = buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength) as ArrayBuffer;
    const { messages, pkg } = await publint({ pack: { tarball: data }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  it('has types that ES modules and bundlers resolve', async () => {
    const checked = await checkPackage(createPackageFromTarballData(tarball));
    const problems = checked.types === false ? [] : checked.problems;
    // Packages are ES modules only: CommonJS code loads them by require(esm), which Node.js has since 20.19.
    const relevant = problems.filter(
      (problem) => !('resolutionKind' in problem) || ['node16-esm', 'bundler'].includes(problem.resolutionKind),
    );
    expect(relevant.filter(({ kind }) => kind !== 'CJSResolvesToESM')).toEqual([]);
  });
});

it('the package of the console has the licenses of the bundled packages', () => {
  const licenses = text('console', 'dist', 'THIRD_PARTY_LICENSES.md');
  expect(['react', '@mantine/core', 'graphql'].filter((name) => !licenses.includes(`## ${name} - `))).toEqual([]);
});

it('CommonJS code loads joinery/webhooks with require()', () => {
  const webhooks = createRequire(join(root, 'cli', 'package.json'))('joinery/webhooks') as Record<string, unknown>;
  expect(Object.values(webhooks).some((value) => typeof value === 'function')).toBe(true);
});
