/** `joinery actions create`: adds actions and their types, given as SDL, to the metadata directory of the project. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { argumentsOf, descriptionOf, type Members, type Named, type TypeKind } from '@joinery/metadata/sdl/actions';
import { print } from 'graphql';
import { CliError } from '../../cli-error.ts';
import { printLine } from '../../print.ts';
import { readSdlFile, type SdlFile } from '../../project/actions-sdl.ts';
import { readMetadata } from '../../project/metadata-directory.ts';
import { canonical } from '../metadata/canonical.ts';
import { fileChanges, writeChanges } from '../metadata/export.ts';
import { type MetadataFlags, openMetadata } from '../metadata/open-metadata.ts';

export interface CreateFlags extends MetadataFlags {
  readonly sdl?: string;
  /** `-` for standard input. */
  readonly file?: string;
  /** `{name}` is replaced by the name of the action. */
  readonly handler?: string;
  readonly kind: 'synchronous' | 'asynchronous';
  readonly role?: readonly string[];
}

const defaultHandler = 'http://localhost:3000/{name}';

/** Resolves with the exit code. Throws CliError where nothing was written. */
export async function createActions(flags: CreateFlags, environment: NodeJS.ProcessEnv): Promise<number> {
  const sdl = await readSdl(flags);
  if (sdl.actions.size === 0) throw new CliError('the SDL has no action; write one in type Query or type Mutation');
  const { location } = await openMetadata(flags, environment);
  const before = canonical(await readMetadata(location));
  const after = withActions(before, sdl, flags);
  const changes = await fileChanges(location, after, 3);
  await writeChanges(changes);
  for (const file of [...changes.write.keys()].sort()) printLine(`written  ${join(changes.folder, file)}`);
  printLine(`Added ${[...sdl.actions.keys()].join(', ')}; "joinery metadata apply" sends it to the service.`);
  return 0;
}

async function readSdl({ sdl, file }: CreateFlags): Promise<SdlFile> {
  if ((sdl === undefined) === (file === undefined)) throw new CliError('give either --sdl or --file');
  if (sdl !== undefined) return readSdlFile(sdl, '--sdl');
  if (file === '-') return readSdlFile(await readAll(process.stdin), 'standard input');
  const path = file ?? '';
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new CliError(`${path} cannot be read: ${cause.message}`, { cause });
  });
  return readSdlFile(text, path);
}

/** Returns the metadata with the actions and types of the SDL. Throws CliError for names that exist. */
function withActions(metadata: Members, sdl: SdlFile, flags: CreateFlags): Members {
  const actions = (metadata.actions ?? []) as readonly Named[];
  const custom = (metadata.custom_types ?? {}) as Readonly<Partial<Record<TypeKind, readonly Named[]>>>;
  const added = [...sdl.actions].map(([name, { type, field }]) => {
    if (actions.some((one) => one.name === name)) {
      throw new CliError({ message: `action "${name}" already exists; choose another name`, place: sdl.place(field) });
    }
    const comment = descriptionOf(field);
    return {
      name,
      definition: {
        type,
        arguments: argumentsOf(field),
        output_type: print(field.type),
        handler: (flags.handler ?? defaultHandler).replaceAll('{name}', name),
        ...(type === 'mutation' && { kind: flags.kind }),
      },
      ...(flags.role !== undefined && { permissions: flags.role.map((role) => ({ role })) }),
      ...(comment !== undefined && { comment }),
    };
  });
  const kinds = Object.keys(sdl.types) as TypeKind[];
  const known = new Set(kinds.flatMap((kind) => (custom[kind] ?? []).map(({ name }) => name)));
  const types = kinds.flatMap((kind) => {
    for (const [index, { name }] of sdl.types[kind].entries()) {
      const node = sdl.nodes[kind][index];
      if (!known.has(name) || node === undefined) continue;
      throw new CliError({ message: `type "${name}" already exists; choose another name`, place: sdl.place(node) });
    }
    const all = [...(custom[kind] ?? []), ...sdl.types[kind]];
    return all.length === 0 ? [] : [[kind, all] as const];
  });
  return { ...metadata, actions: [...actions, ...added], custom_types: Object.fromEntries(types) };
}
