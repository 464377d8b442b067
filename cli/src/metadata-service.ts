/** The metadata commands that need a running service and no files. */
import { type Connection, connectProject } from './connection.ts';
import type { MetadataFlags } from './metadata-project.ts';
import { type InconsistentObject, inconsistencyFaults, sayFaults } from './metadata-report.ts';
import { say, sayJson, table, wantsJson, warn } from './output.ts';
import { ProjectError } from './project-error.ts';

interface Consistency {
  readonly is_consistent: boolean;
  readonly inconsistent_objects?: readonly InconsistentObject[];
}

type Environment = NodeJS.ProcessEnv;

export interface ReloadFlags extends MetadataFlags {
  readonly source?: readonly string[];
  readonly remoteSchema?: readonly string[];
}

/** Resolves with the exit code, as all of these. Throws ProjectError. */
export async function clear(
  flags: MetadataFlags & { readonly yes?: boolean },
  environment: Environment,
): Promise<number> {
  const { connection } = await connectProject(flags, environment);
  if (flags.yes !== true && process.stdin.isTTY !== true) {
    throw new ProjectError(`this empties the metadata of ${connection.endpoint}; give --yes`);
  }
  if (flags.yes !== true && !(await confirmed(`Empty the metadata of ${connection.endpoint}?`))) return 1;
  await connection.command('clear_metadata', {});
  tell(flags, { cleared: true }, `Cleared the metadata of ${connection.endpoint}.`);
  return 0;
}

/** 1 where objects cannot be used afterwards. */
export async function reload(flags: ReloadFlags, environment: Environment): Promise<number> {
  const { connection } = await connectProject(flags, environment);
  const named = flags.source !== undefined || flags.remoteSchema !== undefined;
  const args = named
    ? { reload_sources: flags.source ?? false, reload_remote_schemas: flags.remoteSchema ?? false }
    : {};
  const answer = (await connection.command('reload_metadata', args)) as Consistency;
  const objects = answer.inconsistent_objects ?? [];
  if (wantsJson(flags)) sayJson({ is_consistent: answer.is_consistent, inconsistent_objects: objects });
  else if (answer.is_consistent) say(`Reloaded; the metadata of ${connection.endpoint} is consistent.`);
  else {
    warn('Reloaded; these objects cannot be used:');
    sayFaults(inconsistencyFaults(objects), warn);
  }
  return answer.is_consistent ? 0 : 1;
}

/** 0, whatever is listed. */
export async function listInconsistent(flags: MetadataFlags, environment: Environment): Promise<number> {
  const { connection } = await connectProject(flags, environment);
  const answer = await consistencyOf(connection);
  const objects = answer.inconsistent_objects ?? [];
  if (wantsJson(flags)) sayJson(answer);
  else if (objects.length === 0) say('The metadata is consistent.');
  else
    say(
      table(
        ['NAME', 'TYPE', 'REASON'],
        objects.map(({ name, type, reason }) => [name, type, reason]),
      ),
    );
  return 0;
}

/** 1 where there are any. */
export async function inconsistencyStatus(flags: MetadataFlags, environment: Environment): Promise<number> {
  const { connection } = await connectProject(flags, environment);
  const { is_consistent, inconsistent_objects = [] } = await consistencyOf(connection);
  const count = inconsistent_objects.length;
  const told = is_consistent
    ? 'The metadata is consistent.'
    : `The metadata is inconsistent: ${count} object${count === 1 ? '' : 's'}; "joinery metadata inconsistency list" says which.`;
  tell(flags, { is_consistent, count }, told);
  return is_consistent ? 0 : 1;
}

export async function dropInconsistent(flags: MetadataFlags, environment: Environment): Promise<number> {
  const { connection } = await connectProject(flags, environment);
  const { inconsistent_objects: dropped = [] } = await consistencyOf(connection);
  await connection.command('drop_inconsistent_metadata', {});
  const names = dropped.map(({ name }) => name);
  tell(flags, { dropped: names }, names.length === 0 ? 'Nothing to drop.' : `Dropped:\n  ${names.join('\n  ')}`);
  return 0;
}

async function consistencyOf(connection: Connection): Promise<Consistency> {
  return (await connection.command('get_inconsistent_metadata', {})) as Consistency;
}

function tell(flags: MetadataFlags, json: unknown, text: string): void {
  if (wantsJson(flags)) sayJson(json);
  else say(text);
}

async function confirmed(question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test(await asking.question(`${question} (y/N) `));
  } finally {
    asking.close();
  }
}
