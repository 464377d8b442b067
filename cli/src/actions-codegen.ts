/** Writes TypeScript for the handlers of actions, from the metadata alone. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Action } from '@joinery/metadata/actions';
import { CustomTypes } from '@joinery/metadata/actions';
import { nearestName } from '@joinery/metadata/commands/nearest-name';
import { Metadata } from '@joinery/metadata/metadata';
import { batchedActions, type CallTypes, callTypes } from './actions-codegen-calls.ts';
import { type Framework, handlerModule, type Module, refusedModule, serverModule } from './actions-codegen-handlers.ts';
import { comment, Names, property } from './actions-codegen-layout.ts';
import { TypeScriptTypes } from './actions-codegen-types.ts';
import { connectProject } from './connection.ts';
import { say } from './output.ts';
import { readMetadataDirectory } from './project.ts';
import type { ProjectFlags } from './project-config.ts';
import { ProjectError } from './project-error.ts';

/** As the command line gives them. */
export interface CodegenFlags extends ProjectFlags, CodegenOptions {
  /** A metadata directory, in place of a running service. */
  readonly dir?: string;
}

export interface CodegenOptions {
  /** All without. */
  readonly action?: readonly string[];
  readonly framework: Framework;
  /** Standard output without. */
  readonly out?: string;
  readonly typesOnly?: boolean;
}

/** Resolves with the exit code. Throws ProjectError. */
export async function codegen(flags: CodegenFlags, environment: NodeJS.ProcessEnv): Promise<number> {
  const { project, connection } = await connectProject(flags, environment);
  const { dir, out } = flags;
  const [origin, written] =
    dir === undefined
      ? [connection.endpoint, await connection.command('export_metadata', {})]
      : [dir, await readMetadataDirectory(dir)];
  const modules = generate(parseMetadata(written, origin), flags, project.headerPrefix);
  if (out === undefined) process.stdout.write(inOneModule(modules));
  else await write(out, modules);
  return 0;
}

/** The modules: `types.ts` is the first. Throws ProjectError for an action that is not there. */
export function generate(metadata: Metadata, given: CodegenOptions, headerPrefix: string): readonly Module[] {
  const actions = metadata.actions ?? [];
  const wanted = wantedActions(actions, given.action);
  const names = new Names();
  const types = new TypeScriptTypes(metadata.custom_types ?? CustomTypes.parse({}), names);
  const context = { names, functions: new Names(), batched: batchedActions(metadata) };
  // A folder's types.ts serves the handlers of all actions, however many are written this time.
  const typed = (given.out === undefined ? wanted : actions).map((action) => callTypes(action, types, context));
  const calls = typed.filter(({ action }) => wanted.includes(action));
  const module = typesModule(typed, types, headerPrefix);
  if (given.typesOnly === true) return [module];
  const fileNames = new Names((name) => name.toLowerCase());
  const files = calls.map(({ action }) => fileNames.take(action.name));
  const handlers = calls.map((call, index) => handlerModule(call, files[index] ?? ''));
  return [module, refusedModule, ...handlers, serverModule(calls, files, given.framework)];
}

/** All modules as one. */
export function inOneModule(modules: readonly Module[]): string {
  const external = modules.map((module) => module.external).join('');
  const texts = modules.map(({ text }) => text).join('\n');
  return external === '' ? texts : `${external}\n${texts}`;
}

function typesModule(calls: readonly CallTypes[], types: TypeScriptTypes, prefix: string): Module {
  const session =
    comment(['Of whoever asked, names in lower case.']) +
    `export interface SessionVariables {\n${property(`"${prefix.toLowerCase()}role"`, ['string'])}  [name: string]: string;\n}\n`;
  const generated = '// Written by "joinery actions codegen"; do not edit, run it again.\n';
  const text = [generated, session, ...calls.map((call) => call.text), ...types.declarations()].join('\n');
  return { file: 'types.ts', external: '', internal: '', text };
}

function wantedActions(actions: readonly Action[], names: readonly string[] | undefined): readonly Action[] {
  if (actions.length === 0) throw new ProjectError('the metadata has no actions');
  if (names === undefined) return actions;
  const known = actions.map(({ name }) => name as string);
  for (const name of names) {
    if (known.includes(name)) continue;
    const near = nearestName(name, known);
    const hint = near === undefined ? `there are ${known.join(', ')}` : `did you mean "${near}"?`;
    throw new ProjectError(`--action: there is no action "${name}"; ${hint}`);
  }
  return actions.filter(({ name }) => names.includes(name));
}

function parseMetadata(written: unknown, origin: string): Metadata {
  const { success, data, error } = Metadata.safeParse(written);
  if (success) return data;
  const [issue] = error.issues;
  const path = [
    '$',
    ...(issue?.path ?? []).map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)),
  ];
  throw new ProjectError(`the metadata of ${origin} is not right at ${path.join('')}: ${issue?.message}`);
}

/** Types are written each time; what has been edited since is never overwritten. */
async function write(folder: string, modules: readonly Module[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { file, external, internal, text } of modules) {
    const imports = `${external}${internal}`;
    const path = join(folder, file);
    const kept = file !== 'types.ts';
    try {
      await writeFile(path, imports === '' ? text : `${imports}\n${text}`, { flag: kept ? 'wx' : 'w' });
      say(`wrote ${path}`);
    } catch (cause) {
      if (!kept || (cause as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw new ProjectError(`${path} cannot be written: ${(cause as Error).message}`, { cause });
      }
      say(`kept ${path}, which was there`);
    }
  }
}
