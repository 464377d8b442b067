/** The `joinery` command. Subcommands are loaded on use, which keeps the start fast. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addActionsCommands } from './commands/actions/index.ts';
import { addCompletion } from './commands/completion/index.ts';
import { addConsole } from './commands/console/index.ts';
import { addDeploy } from './commands/deploy/index.ts';
import { addDev } from './commands/dev/index.ts';
import { addDoctor } from './commands/doctor/index.ts';
import { addEventsCommands } from './commands/events/index.ts';
import { addInit } from './commands/init/index.ts';
import { addMcp } from './commands/mcp/index.ts';
import { addMetadataCommands } from './commands/metadata/index.ts';
import { addMigrateCommands, addSeedCommands } from './commands/migrate/index.ts';
import { addServe } from './commands/serve/index.ts';
import { addTypesCommands } from './commands/types/index.ts';
import { addVersion } from './commands/version/index.ts';
import { tolerateClosedOutput } from './print.ts';

/** Runs the command line; sets `process.exitCode`. */
export async function run(argv: readonly string[]): Promise<void> {
  tolerateClosedOutput();
  if (process.pid === 1) endOnSignals();
  const program = await createProgram(argv);
  await program.parseAsync([...argv]);
}

/**
 * Ends this process on a signal that no command handles. The kernel ignores such a signal for the first process of a container,
 * which would run until it is killed.
 */
function endOnSignals(): void {
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + number);
    });
  }
}

/** Returns every command with its help. The options of `serve` are present only if `argv` contains `serve`. */
export async function createProgram(argv: readonly string[]): Promise<Command> {
  const program = new Command('joinery')
    .description(
      'GraphQL data service for PostgreSQL: actions joined to tables, webhooks called at least once, on time, with an id to recognize duplicates',
    )
    .version(version(), '-v, --version', 'print the version')
    // Allows commands to reuse the name of a global option, such as --version of "migrate apply".
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for the options)')
    .addHelpText(
      'after',
      `
Examples
  joinery init shop && cd shop && joinery dev a new project with database, service and handlers
  joinery serve                               an embedded PostgreSQL under .joinery, on port 8080
  joinery serve --database-url postgres://app:secret@localhost/shop
  joinery deploy                              sources, migrations and metadata of a project to a running service
  joinery metadata apply --dir metadata       send a metadata directory to a running service`,
    );
  addInit(program);
  addDev(program);
  addConsole(program);
  addDeploy(program);
  await addServe(program, argv);
  addMetadataCommands(program);
  addMigrateCommands(program);
  addSeedCommands(program);
  addEventsCommands(program);
  addTypesCommands(program);
  addMcp(program);
  addDoctor(program);
  addVersion(program);
  addCompletion(program);
  addActionsCommands(program);
  return program;
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
