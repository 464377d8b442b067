/** The actions of `joinery types ...`. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { CliError } from '../../cli-error.ts';
import { type Connection, connect, connectProject } from '../../client/connection.ts';
import { type OutputFlags, paint, printJson, printLine, wantsJson, warn } from '../../print.ts';
import type { Project } from '../../project/config.ts';
import type { ProjectFlags } from '../../project/flags.ts';
import { compareSchemas, schemaOfFile, schemaOfRole, sdlOf, seesNothing } from './schema.ts';
import { webhookTypes } from './webhooks.ts';

export interface SchemaFlags extends ProjectFlags {
  readonly role: string;
  readonly out?: string;
}

/** Resolves with the exit code, as do all functions here. Throws CliError. */
export async function writeSchema(flags: SchemaFlags): Promise<number> {
  const { connection } = await connectProject(flags, process.env);
  const schema = await schemaOfRole(connection, flags.role, await connection.headerPrefix());
  if (seesNothing(schema)) warn(`The role "${flags.role}" has no permissions.`);
  await hand(sdlOf(schema), flags.out);
  return 0;
}

export interface DiffFlags extends ProjectFlags, OutputFlags {
  readonly role: string;
  /** Exit code 1 for breaking changes. */
  readonly failOnBreaking?: boolean;
}

export async function diffSchemas(before: string, after: string, flags: DiffFlags): Promise<number> {
  const { project, connection } = await connectProject(flags, process.env);
  const [old, young] = [
    await schemaNamed(before, flags, project, connection),
    await schemaNamed(after, flags, project, connection),
  ];
  const { differences, breaking } = compareSchemas(old, young);
  if (wantsJson(flags)) printJson({ differences, breaking });
  else if (differences.length === 0) printLine('No differences.');
  for (const { kind, at, before: was, after: is } of wantsJson(flags) ? [] : differences) {
    if (kind === 'added') printLine(paint('green', `+ ${at}: ${is}`));
    else if (kind === 'removed') printLine(paint('red', `- ${at}: ${was}`));
    else printLine(paint('yellow', `~ ${at}: ${was} -> ${is}`));
  }
  if (breaking.length > 0 && !wantsJson(flags)) {
    printLine(`\nBreaking changes:`);
    for (const one of breaking) printLine(`  ${one}`);
  }
  return flags.failOnBreaking === true && breaking.length > 0 ? 1 : 0;
}

/** Reads a schema from a file, from a service by URL, or for a role of the project's service. */
async function schemaNamed(name: string, flags: DiffFlags, project: Project, connection: Connection) {
  if (/^https?:\/\//.test(name)) {
    const other = connect({ ...project, endpoint: name.replace(/\/+$/, '') });
    return schemaOfRole(other, flags.role, await other.headerPrefix());
  }
  if (existsSync(name)) return schemaOfFile(name);
  if (/\.(graphqls?|gql|json)$/.test(name)) throw new CliError(`${name} does not exist`);
  return schemaOfRole(connection, name, await connection.headerPrefix());
}

export interface WebhookFlags extends ProjectFlags {
  readonly out?: string;
}

/** Writes types of the payloads of cron triggers. */
export async function writeWebhookTypes(flags: WebhookFlags): Promise<number> {
  const { connection } = await connectProject(flags, process.env);
  const metadata = await connection.command('export_metadata', {});
  await hand(webhookTypes(metadata.cron_triggers ?? []), flags.out);
  return 0;
}

async function hand(text: string, path: string | undefined): Promise<void> {
  if (path === undefined) {
    process.stdout.write(text);
    return;
  }
  await writeFile(path, text).catch((cause: Error) => {
    throw new CliError(`${path} cannot be written: ${cause.message}`, { cause });
  });
  printLine(`Wrote ${path}.`);
}
