/** The metadata commands that need a running service and no files. */
import type { Consistency } from '@joinery/metadata/api/metadata';
import { CliError } from '../../cli-error.ts';
import { type Connection, connectProject } from '../../client/connection.ts';
import { confirmed, printJson, printLine, table, wantsJson, warn } from '../../print.ts';
import { countOthers, groupByCause } from './causes.ts';
import type { MetadataFlags } from './open-metadata.ts';
import { bySeverity, causeErrors, inconsistencyErrors, printDetails, warnUnsupported } from './report.ts';

type Environment = NodeJS.ProcessEnv;

export interface ReloadFlags extends MetadataFlags {
  readonly source?: readonly string[];
  readonly remoteSchema?: readonly string[];
}

/** Resolves with the exit code, as do all functions here. Throws CliError. */
export async function clear(
  flags: MetadataFlags & { readonly yes?: boolean },
  environment: Environment,
): Promise<number> {
  const { connection } = await connectProject(flags, environment);
  if (flags.yes !== true && process.stdin.isTTY !== true) {
    throw new CliError(`this removes all metadata of ${connection.endpoint}; confirm with --yes`);
  }
  if (flags.yes !== true && !(await confirmed(`Remove all metadata of ${connection.endpoint}?`))) return 1;
  await connection.command('clear_metadata', {});
  printResult(flags, { cleared: true }, `Cleared the metadata of ${connection.endpoint}.`);
  return 0;
}

/** Resolves with 1 where objects cannot be used after the reload. */
export async function reload(flags: ReloadFlags, environment: Environment): Promise<number> {
  const { connection } = await connectProject(flags, environment);
  const named = flags.source !== undefined || flags.remoteSchema !== undefined;
  const args = named
    ? { reload_sources: flags.source ?? false, reload_remote_schemas: flags.remoteSchema ?? false }
    : {};
  const response = await connection.command('reload_metadata', args);
  const objects = response.inconsistent_objects ?? [];
  const { broken, unsupported } = bySeverity(objects);
  if (wantsJson(flags)) {
    printJson({ is_consistent: response.is_consistent, inconsistent_objects: objects });
    return broken.length === 0 ? 0 : 1;
  }
  if (response.is_consistent) printLine(`Reloaded; the metadata of ${connection.endpoint} is consistent.`);
  else if (broken.length === 0)
    printLine(`Reloaded; every object in the metadata of ${connection.endpoint} can be used.`);
  else {
    warn('Reloaded; these objects cannot be used:');
    printDetails(causeErrors(broken, undefined, await connection.command('export_metadata', {})), warn);
  }
  warnUnsupported(inconsistencyErrors(unsupported));
  return broken.length === 0 ? 0 : 1;
}

/** Resolves with 0. */
export async function listInconsistent(flags: MetadataFlags, environment: Environment): Promise<number> {
  const { connection } = await connectProject(flags, environment);
  const response = await consistencyOf(connection);
  const objects = response.inconsistent_objects;
  if (wantsJson(flags)) printJson(response);
  else if (objects.length === 0) printLine('The metadata is consistent.');
  else
    printLine(
      table(
        ['NAME', 'TYPE', 'REASON'],
        groupByCause(objects, await connection.command('export_metadata', {})).map((cause) => {
          const { name, type, reason } = cause.object;
          return [name, type, reason + countOthers(cause)];
        }),
      ),
    );
  return 0;
}

/** Resolves with 1 where objects are inconsistent, and with `--strict` where members have no effect. */
export async function inconsistencyStatus(
  flags: MetadataFlags & { readonly strict?: boolean },
  environment: Environment,
): Promise<number> {
  const { connection } = await connectProject(flags, environment);
  const { is_consistent, inconsistent_objects } = await consistencyOf(connection);
  const { broken, unsupported } = bySeverity(inconsistent_objects);
  const [count, ignored] = [broken.length, unsupported.length];
  const objects = `The metadata is inconsistent: ${count} object${count === 1 ? '' : 's'}`;
  const members = `${ignored} member${ignored === 1 ? ' has' : 's have'} no effect`;
  const list = '"joinery metadata inconsistency list" shows them.';
  const text = is_consistent
    ? 'The metadata is consistent.'
    : `${count === 0 ? 'Every object can be used' : objects}${ignored === 0 ? '' : `; ${members}`}; ${list}`;
  printResult(flags, { is_consistent, count, unsupported: ignored }, text);
  return count > 0 || (flags.strict === true && ignored > 0) ? 1 : 0;
}

export async function dropInconsistent(flags: MetadataFlags, environment: Environment): Promise<number> {
  const { connection } = await connectProject(flags, environment);
  const { inconsistent_objects: dropped } = await consistencyOf(connection);
  await connection.command('drop_inconsistent_metadata', {});
  const names = bySeverity(dropped).broken.map(({ name }) => name);
  printResult(flags, { dropped: names }, names.length === 0 ? 'Nothing to drop.' : `Dropped:\n  ${names.join('\n  ')}`);
  return 0;
}

function consistencyOf(connection: Connection): Promise<Consistency> {
  return connection.command('get_inconsistent_metadata', {});
}

function printResult(flags: MetadataFlags, json: unknown, text: string): void {
  if (wantsJson(flags)) printJson(json);
  else printLine(text);
}
