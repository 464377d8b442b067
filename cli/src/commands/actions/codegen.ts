/** Writes TypeScript for the handlers of actions, from the metadata alone. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CodegenOptions, generate, inOneModule } from '@joinery/metadata/codegen/generate';
import type { Module } from '@joinery/metadata/codegen/handlers';
import { CodegenError } from '@joinery/metadata/codegen/types';
import { jsonPath } from '@joinery/metadata/json';
import { Metadata } from '@joinery/metadata/metadata';
import { CliError } from '../../cli-error.ts';
import { connectProject } from '../../client/connection.ts';
import { printLine } from '../../print.ts';
import type { ProjectFlags } from '../../project/flags.ts';
import { readMetadataDirectory } from '../../project/metadata-directory.ts';

/** Options of the command line. */
export interface CodegenFlags extends ProjectFlags, Omit<CodegenOptions, 'allTypes'> {
  /** A metadata directory to read instead of a running service. */
  readonly dir?: string;
  /** Default: standard output. */
  readonly out?: string;
}

/** Resolves with the exit code. Throws CliError. */
export async function codegen(flags: CodegenFlags, environment: NodeJS.ProcessEnv): Promise<number> {
  const { project, connection } = await connectProject(flags, environment);
  const { dir, out } = flags;
  const [origin, written] =
    dir === undefined
      ? [connection.endpoint, await connection.command('export_metadata', {})]
      : [dir, await readMetadataDirectory(dir)];
  const modules = modulesOf(
    parseMetadata(written, origin),
    { ...flags, allTypes: out !== undefined },
    dir === undefined ? await connection.headerPrefix() : project.headerPrefix,
  );
  if (out === undefined) process.stdout.write(inOneModule(modules));
  else await write(out, modules);
  return 0;
}

function modulesOf(...given: Parameters<typeof generate>): readonly Module[] {
  try {
    return generate(...given);
  } catch (error) {
    if (!(error instanceof CodegenError)) throw error;
    throw new CliError(error.message, { cause: error });
  }
}

function parseMetadata(written: unknown, origin: string): Metadata {
  const { success, data, error } = Metadata.safeParse(written);
  if (success) return data;
  const [issue] = error.issues;
  throw new CliError(`the metadata of ${origin} is invalid at ${jsonPath(issue?.path ?? [])}: ${issue?.message}`);
}

/** Overwrites the types; other files are written only where they do not exist. */
async function write(folder: string, modules: readonly Module[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { file, external, internal, text } of modules) {
    const imports = `${external}${internal}`;
    const path = join(folder, file);
    const kept = file !== 'types.ts';
    try {
      await writeFile(path, imports === '' ? text : `${imports}\n${text}`, { flag: kept ? 'wx' : 'w' });
      printLine(`wrote ${path}`);
    } catch (cause) {
      if (!kept || (cause as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw new CliError(`${path} cannot be written: ${(cause as Error).message}`, { cause });
      }
      printLine(`kept ${path}, which exists`);
    }
  }
}
