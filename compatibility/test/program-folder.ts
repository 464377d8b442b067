/** Folders in which tests generate code with the tools of other projects, and compile programs that use it. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const load = createRequire(import.meta.url);
const execute = promisify(execFile);
const local = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
// Below `node_modules`, so that generated code finds the packages and no tool reads it.
const cache = local('../node_modules/.cache/');
const tsc = local('../../node_modules/.bin/tsc');

const compilerOptions = {
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  module: 'commonjs',
  moduleResolution: 'bundler',
  esModuleInterop: true,
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

export interface ProgramFolder {
  readonly path: string;
  /** Writes the value as JSON. */
  write(file: string, value: unknown): Promise<void>;
  /** Copies a file of `programs/` to `src/<folder>/<as>.ts`, with the type assertions. */
  copy(program: string, as?: string, folder?: string): Promise<void>;
  /** Runs a command of an installed package in the folder. Rejects with its output if it fails. */
  run(command: string, ...args: readonly string[]): Promise<void>;
  /** Compiles `src/<name>`, and returns the exports of its `main.ts`. Rejects with the errors of the compiler. */
  compiled<T>(name: string): Promise<T>;
  remove(): Promise<void>;
}

export async function programFolder(): Promise<ProgramFolder> {
  await mkdir(cache, { recursive: true });
  const path = await mkdtemp(join(cache, 'program-'));
  const write = (file: string, value: unknown) => writeFile(join(path, file), JSON.stringify(value));
  const run = async (command: string, ...args: readonly string[]): Promise<void> => {
    try {
      await execute(command, args, { cwd: path, timeout: 100_000 });
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
      throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error });
    }
  };
  await write('package.json', { type: 'commonjs' });
  await write('tsconfig.json', { compilerOptions, include: ['src'] });
  return {
    path,
    write,
    copy: async (program, as = 'main', folder = program) => {
      const target = join(path, 'src', folder);
      await mkdir(target, { recursive: true });
      await cp(local(`programs/${program}.ts`), join(target, `${as}.ts`));
      await cp(local('programs/expect-type.ts'), join(target, 'expect-type.ts'));
    },
    run: (command, ...args) => run(local(`../node_modules/.bin/${command}`), ...args),
    compiled: async <T>(name: string) => {
      await write(`tsconfig.${name}.json`, { extends: './tsconfig.json', include: [`src/${name}`] });
      await run(tsc, '-p', `tsconfig.${name}.json`);
      return load(join(path, 'out', name, 'main.js')) as T;
    },
    remove: () => rm(path, { recursive: true }),
  };
}
