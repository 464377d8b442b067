/** The `joinery` command. Each subcommand is loaded when it is asked for, so that `--version` answers at once. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addActionsCodegen } from './commands/actions/index.ts';
import { addCompletion } from './commands/completion/index.ts';
import { addProjectCommands } from './commands/dev/index.ts';
import { addDoctor } from './commands/doctor/index.ts';
import { addEventsCommands } from './commands/events/index.ts';
import { addMetadataCommands } from './commands/metadata/index.ts';
import { addMigrateCommands, addSeedCommands } from './commands/migrate/index.ts';
import { addServe } from './commands/serve/index.ts';
import { addTypesCommands } from './commands/types/index.ts';
import { tolerateClosedOutput } from './print.ts';

/** Runs the command line; sets `process.exitCode`. */
export async function run(argv: readonly string[]): Promise<void> {
  tolerateClosedOutput();
  const program = await createProgram(argv);
  await program.parseAsync([...argv]);
}

/** Every command with its help. The options of `serve` are there where `argv` asks for it. */
export async function createProgram(argv: readonly string[]): Promise<Command> {
  const program = new Command('joinery')
    .description('GraphQL data service for PostgreSQL: actions joined to tables, webhooks called once and on time')
    .version(version(), '-v, --version', 'print the version')
    // So that an option of a command may have the name of one of these, as that of "migrate apply" has.
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for the options)')
    .addHelpText(
      'after',
      `
Examples
  joinery init shop && cd shop && joinery dev a project that runs, with everything it needs
  joinery serve                               an embedded PostgreSQL under .joinery, on port 8080
  joinery serve --database-url postgres://app:secret@localhost/shop
  joinery metadata apply --dir metadata       send a metadata directory to a running service`,
    );
  addProjectCommands(program);
  await addServe(program, argv);
  addMetadataCommands(program);
  addMigrateCommands(program);
  addSeedCommands(program);
  addEventsCommands(program);
  addTypesCommands(program);
  addDoctor(program);
  addCompletion(program);
  addActionsCodegen(program);
  return program;
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
