/** What `joinery types ...` does. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { ProjectError } from '../../cli-error.ts';
import { type Connection, connect, connectProject } from '../../client/connection.ts';
import { type OutputFlags, paint, say, sayJson, wantsJson, warn } from '../../print.ts';
import type { Project, ProjectFlags } from '../../project/config.ts';
import { compareSchemas, schemaOfFile, schemaOfRole, sdlOf, seesNothing } from './schema.ts';
import { webhookTypes } from './webhooks.ts';

export interface SchemaFlags extends ProjectFlags {
  readonly role: string;
  readonly out?: string;
}

/** All of these resolve with the exit code, and throw ProjectError. */
export async function writeSchema(flags: SchemaFlags): Promise<number> {
  const { project, connection } = await connectProject(flags, process.env);
  const schema = await schemaOfRole(connection, flags.role, project.headerPrefix);
  if (seesNothing(schema)) warn(`The role "${flags.role}" sees nothing: no permission names it.`);
  await hand(sdlOf(schema), flags.out);
  return 0;
}

export interface DiffFlags extends ProjectFlags, OutputFlags {
  readonly role: string;
  /** 1 where there are breaking changes. */
  readonly failOnBreaking?: boolean;
}

export async function diffSchemas(before: string, after: string, flags: DiffFlags): Promise<number> {
  const { project, connection } = await connectProject(flags, process.env);
  const [old, young] = [
    await schemaNamed(before, flags, project, connection),
    await schemaNamed(after, flags, project, connection),
  ];
  const { differences, breaking } = compareSchemas(old, young);
  if (wantsJson(flags)) sayJson({ differences, breaking });
  else if (differences.length === 0) say('No differences.');
  for (const { kind, at, before: was, after: is } of wantsJson(flags) ? [] : differences) {
    if (kind === 'added') say(paint('green', `+ ${at}: ${is}`));
    else if (kind === 'removed') say(paint('red', `- ${at}: ${was}`));
    else say(paint('yellow', `~ ${at}: ${was} -> ${is}`));
  }
  if (breaking.length > 0 && !wantsJson(flags)) {
    say(`\nRequests that worked with the first may fail with the second:`);
    for (const one of breaking) say(`  ${one}`);
  }
  return flags.failOnBreaking === true && breaking.length > 0 ? 1 : 0;
}

/** A file, the URL of a service, or a role of the project's own service. */
async function schemaNamed(name: string, flags: DiffFlags, project: Project, connection: Connection) {
  if (/^https?:\/\//.test(name)) {
    return schemaOfRole(connect({ ...project, endpoint: name.replace(/\/+$/, '') }), flags.role, project.headerPrefix);
  }
  if (existsSync(name)) return schemaOfFile(name);
  if (/\.(graphqls?|gql|json)$/.test(name)) throw new ProjectError(`${name} is not there`);
  return schemaOfRole(connection, name, project.headerPrefix);
}

export interface WebhookFlags extends ProjectFlags {
  readonly out?: string;
}

/** Types of the payloads that cron triggers send. */
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
    throw new ProjectError(`${path} cannot be written: ${cause.message}`, { cause });
  });
  say(`Wrote ${path}.`);
}
