/** Tests of generators of clients and types, unmodified: what they generate from the service compiles and runs. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ann, type Project, startProject } from './project.ts';

const load = createRequire(import.meta.url);
const execute = promisify(execFile);
const programs = fileURLToPath(new URL('programs/', import.meta.url));
// Below `node_modules`, so that generated code finds the packages and no tool reads it.
const cache = fileURLToPath(new URL('../node_modules/.cache/', import.meta.url));
const binary = (name: string) => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));
const tsc = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url));

let project: Project;
let folder = '';

/** Runs the command in the folder. Rejects with its output if it fails. */
async function run(command: string, ...args: readonly string[]): Promise<string> {
  try {
    const { stdout, stderr } = await execute(command, args, { cwd: folder, timeout: 100_000 });
    return stdout + stderr;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error });
  }
}

const compilerOptions = {
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  module: 'commonjs',
  moduleResolution: 'bundler',
  strict: true,
  skipLibCheck: true,
  noEmitOnError: true,
  types: ['node'],
  rootDir: 'src',
  outDir: 'out',
  plugins: [
    { name: 'gql.tada/ts-plugin', schema: './schema.graphql', tadaOutputLocation: './src/tada/graphql-env.d.ts' },
  ],
};

beforeAll(async () => {
  project = await startProject();
  await mkdir(cache, { recursive: true });
  folder = await mkdtemp(join(cache, 'generated-'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'commonjs' }));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
});
afterAll(async () => {
  await project?.stop();
  if (folder !== '') await rm(folder, { recursive: true });
});
beforeEach(() => project.reset());

/** Copies the program to a folder of its own. */
async function copyProgram(name: string): Promise<void> {
  await mkdir(join(folder, 'src', name), { recursive: true });
  await cp(join(programs, `${name}.ts`), join(folder, 'src', name, 'main.ts'));
  await cp(join(programs, 'expect-type.ts'), join(folder, 'src', name, 'expect-type.ts'));
}

/** Compiles the program alone, and returns its exports. */
async function compiled<T>(name: string): Promise<T> {
  const config = { extends: './tsconfig.json', include: [`src/${name}`] };
  await writeFile(join(folder, `tsconfig.${name}.json`), JSON.stringify(config));
  await run(tsc, '-p', `tsconfig.${name}.json`);
  return load(join(folder, 'out', name, 'main.js')) as T;
}

const headers = () => Object.entries(project.user);
const result = { title: 'First', author: 'Ann', text: 'Hello Ann', rows: 1 };

interface Program {
  run(url: string, headers: Readonly<Record<string, string>>, user: string): Promise<unknown>;
}

interface FailingProgram extends Program {
  fail(url: string, headers: Readonly<Record<string, string>>): Promise<unknown>;
}

test('graphql-codegen with the client preset generates typed documents from the schema of a role', async () => {
  await copyProgram('codegen');
  const config = {
    schema: [{ [project.endpoint]: { headers: project.user } }],
    documents: ['src/codegen/main.ts'],
    generates: {
      'src/codegen/gql/': {
        preset: 'client',
        presetConfig: { fragmentMasking: false },
        config: { strictScalars: true, scalars: { uuid: 'string', bigint: 'number', jsonb: 'unknown' } },
      },
    },
  };
  await writeFile(join(folder, 'codegen.json'), JSON.stringify(config));
  await run(binary('graphql-codegen'), '--config', 'codegen.json');
  const program = await compiled<Program>('codegen');
  expect(await program.run(project.endpoint, project.user, ann)).toEqual({ ...result, count: 2 });
});

test('gql.tada infers the types of documents from the schema that it downloads', async () => {
  await copyProgram('tada');
  const sent = headers().flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
  await run(binary('gql.tada'), 'generate-schema', project.endpoint, '--output', 'schema.graphql', ...sent);
  await run(binary('gql.tada'), 'generate-output');
  const program = await compiled<Program>('tada');
  expect(await program.run(project.endpoint, project.user, ann)).toEqual({ ...result, count: 2 });
});

describe.each([
  ['genql', () => ['--output', 'src/genql/generated', '--endpoint', project.endpoint, ...withFlag('-H', ': ')]],
  ['zeus', () => [project.endpoint, 'src/zeus', ...withFlag('-h', ':')]],
])('%s', (name, options) => {
  let program: FailingProgram;

  beforeAll(async () => {
    await copyProgram(name);
    await run(binary(name), ...options());
    program = await compiled<FailingProgram>(name);
  });

  test('generates a typed client that queries, mutates and calls actions', async () => {
    expect(await program.run(project.endpoint, project.user, ann)).toEqual({ ...result, count: 2 });
  });

  test('throws the error of an action', async () => {
    // zeus writes errors to the console.
    const written = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    expect(await program.fail(project.endpoint, project.user)).toEqual(['a name is required']);
    written.mockRestore();
  });
});

function withFlag(flag: string, separator: string): string[] {
  return headers().flatMap(([name, value]) => [flag, `${name}${separator}${value}`]);
}
