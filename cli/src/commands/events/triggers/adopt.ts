/** `joinery events triggers adopt`: switches triggers from Hasura v2. */
import type { TakenOverEvents } from '@joinery/metadata/api/events/maintenance';
import { CliError } from '../../../cli-error.ts';
import { type Connection, connectProject } from '../../../client/connection.ts';
import { printJson, printLine, table, wantsJson, warn, withProgress } from '../../../print.ts';
import { eventTriggersOf } from '../../../project/event-triggers.ts';
import type { TriggerFlags } from './triggers.ts';

export interface AdoptFlags extends TriggerFlags {
  readonly dryRun?: boolean;
  readonly includeClaimed?: boolean;
}

interface AdoptedSource extends TakenOverEvents {
  readonly source: string;
}

/** Resolves with 1 if Hasura v2 still has claimed events, so that the command must run again. */
export async function adoptTriggers(names: readonly string[], flags: AdoptFlags): Promise<number> {
  const { connection } = await connectProject(flags, process.env);
  const adopted: AdoptedSource[] = [];
  for (const source of await sourcesOf(connection, names, flags.databaseName)) {
    const args = {
      source,
      dry_run: flags.dryRun === true,
      include_claimed: flags.includeClaimed === true,
      ...(names.length > 0 && { names }),
    };
    const work = () => connection.command('take_over_hasura_events', args, { timeoutMs: 0 });
    adopted.push({ source, ...(await withProgress(`source ${source}`, work)) });
  }
  const claimed = adopted.flatMap(({ triggers }) => triggers).reduce((sum, one) => sum + one.claimed, 0);
  if (wantsJson(flags)) printJson({ sources: adopted });
  else printAdopted(adopted, flags.dryRun === true);
  if (claimed === 0 || flags.dryRun === true) return 0;
  warn(
    `Hasura v2 has claimed ${claimed} events and delivers them. Run this again later, or with --include-claimed if it does not run any more.`,
  );
  return 1;
}

/** Returns the sources with event triggers; with names, those that have all of them. */
async function sourcesOf(
  connection: Connection,
  names: readonly string[],
  only: string | undefined,
): Promise<readonly string[]> {
  const triggers = eventTriggersOf(await connection.command('export_metadata', {}), only);
  const sources = [...new Set(triggers.map(({ source }) => source))];
  const isIn = (source: string, name: string): boolean =>
    triggers.some((one) => one.source === source && one.trigger.name === name);
  const found = sources.filter((source) => names.every((name) => isIn(source, name)));
  if (found.length > 0) return found;
  throw new CliError(
    names.length === 0 ? 'no source has event triggers' : `no source has the event triggers ${names.join(', ')}`,
  );
}

function printAdopted(sources: readonly AdoptedSource[], isDryRun: boolean): void {
  const rows = sources.flatMap(({ source, triggers }) =>
    triggers.map(({ name, functions, taken, claimed }) => [
      source,
      name,
      String(functions.length),
      String(taken),
      String(claimed),
    ]),
  );
  if (rows.length === 0) printLine('No database has event triggers of Hasura v2.');
  else printLine(table(['SOURCE', 'TRIGGER', 'SQL TRIGGERS DROPPED', 'EVENTS MOVED', 'CLAIMED BY HASURA'], rows));
  for (const { source, others } of sources) {
    for (const { name, pending } of others) {
      printLine(`${pending} pending events of "${name}" stay in source "${source}", which has no such event trigger.`);
    }
  }
  if (isDryRun && rows.length > 0) printLine('This was a dry run; nothing was changed.');
}
