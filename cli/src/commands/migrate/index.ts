/** `joinery migrate ...` and `joinery seed ...`: changes of databases as SQL files. */
import { type Command, InvalidArgumentError } from 'commander';
import { outcome, outputOption } from '../../print.ts';
import { connectionOptions } from '../../project/flags.ts';
import type { CreateFlags } from './create.ts';
import type { DeleteFlags } from './delete.ts';
import type { ApplyFlags, MigrateFlags } from './run.ts';
import type { SeedFlags } from './seed.ts';
import type { CreateSeedFlags } from './seed-create.ts';
import type { SquashFlags } from './squash.ts';

const load = () => import('./run.ts');
const loadSeeds = () => import('./seed.ts');

export function addMigrateCommands(program: Command): void {
  const migrate = program.command('migrate').description('database migrations as numbered SQL files');
  addCreate(migrate);
  addApply(migrate);
  addStatus(migrate);
  addRollback(migrate);
  addSquash(migrate);
  addDelete(migrate);
  migrate.addHelpText(
    'after',
    `
Examples
  joinery migrate create add_orders           writes migrations/default/<number>_add_orders/up.sql and down.sql
  joinery migrate apply                       applies missing migrations
  joinery migrate status
  joinery migrate rollback                    undoes the last migration`,
  );
}

function addCreate(migrate: Command): void {
  onDatabase(connectionOptions(migrate.command('create <name>')))
    .description('write a migration: empty, or with the given SQL')
    .option('--up-sql <sql>', 'content of up.sql')
    .option('--down-sql <sql>', 'content of down.sql')
    .option('--sql-from-file <file>', 'a file with the content of up.sql')
    .option('--from-server', 'dump the schema of the database, and record the migration as applied')
    .option('--schema <name...>', 'with --from-server: the schemas to dump (default: public)')
    .addHelpText(
      'after',
      `
Examples
  joinery migrate create add_orders
  joinery migrate create init --from-server --schema public --schema billing
  joinery migrate create views --sql-from-file views.sql
  joinery migrate create drop_note --up-sql "alter table orders drop note" --down-sql "alter table orders add note text"

A file whose first line is "-- joinery: no-transaction" runs statement by statement without a transaction. So does a file
whose statements cannot run in one, such as "create index concurrently".`,
    )
    .action((name: string, given: CreateFlags) =>
      outcome('migrate create', async () => (await import('./create.ts')).migrateCreate(name, given)),
    );
}

function addApply(migrate: Command): void {
  running(onDatabase(outputOption(connectionOptions(migrate.command('apply')))))
    .description('apply missing migrations, each in its own transaction')
    .option('--up <n>', 'apply only the next n', count)
    .option('--down <n>', 'undo the last n', count)
    .option('--goto <version>', 'apply or undo until this version is the last; 0 undoes all', number)
    .option('--version <version>', 'only this version', number)
    .option('--type <way>', 'with --version: up or down', way)
    .option('--skip-execution', 'record migrations as applied without running their SQL')
    .option('--check', 'compare the metadata with the database after each migration, and reject what breaks it')
    .option('--no-transaction', 'run files with a statement that cannot run in a transaction statement by statement')
    .option('--take-over', 'run a migration again whose process ended before it completed')
    .addHelpText(
      'after',
      `
Examples
  joinery migrate apply
  joinery migrate apply --dry-run             prints the SQL and runs nothing
  joinery migrate apply --goto 1700000000000
  joinery migrate apply --check               rejects SQL that breaks the metadata, and follows renamed columns
  joinery migrate apply --skip-execution      for a database that already has the changes, such as one of Hasura`,
    )
    .action((given: ApplyFlags) => outcome('migrate apply', async () => (await load()).migrateApply(given), given));
}

function addStatus(migrate: Command): void {
  onDatabase(outputOption(connectionOptions(migrate.command('status'))))
    .description('compare the migrations of the project and of the databases')
    .addHelpText(
      'after',
      `
Examples
  joinery migrate status
  joinery migrate status -o json | jq '.[].migrations[] | select(.applied_at == null)'`,
    )
    .action((given: MigrateFlags) => outcome('migrate status', async () => (await load()).migrateStatus(given), given));
}

function addRollback(migrate: Command): void {
  running(onDatabase(outputOption(connectionOptions(migrate.command('rollback')))))
    .description('undo the last migrations by their down.sql')
    .option('--steps <n>', 'number of migrations', count, 1)
    .addHelpText(
      'after',
      `
Examples
  joinery migrate rollback
  joinery migrate rollback --steps 2 --cascade`,
    )
    .action(({ steps, ...given }: ApplyFlags & { readonly steps: number }) =>
      outcome('migrate rollback', async () => (await load()).migrateApply({ ...given, down: steps }), given),
    );
}

function addSquash(migrate: Command): void {
  onDatabase(connectionOptions(migrate.command('squash')))
    .description('combine consecutive migrations into one')
    .requiredOption('--from <version>', 'first version', number)
    .option('--to <version>', 'last version (default: the newest)', number)
    .option('--name <name>', 'name of the new migration', 'squashed')
    .option('--delete-source', 'remove the original migrations')
    .addHelpText(
      'after',
      `
Examples
  joinery migrate squash --from 1700000000000 --name first_release --delete-source`,
    )
    .action((given: SquashFlags) =>
      outcome('migrate squash', async () => (await import('./squash.ts')).migrateSquash(given)),
    );
}

function addDelete(migrate: Command): void {
  onDatabase(connectionOptions(migrate.command('delete')))
    .description('remove migrations from the project and from the record of the database; its tables stay')
    .option('--version <version>', 'only this version', number)
    .option('--all', 'all migrations of the database')
    .option('--server', 'remove the record only, and keep the files')
    .option('--yes', 'confirm --all')
    .addHelpText(
      'after',
      `
Examples
  joinery migrate delete --version 1700000000000
  joinery migrate delete --all --server --yes   the next "migrate apply" runs all files again`,
    )
    .action((given: DeleteFlags) =>
      outcome('migrate delete', async () => (await import('./delete.ts')).migrateDelete(given)),
    );
}

export function addSeedCommands(program: Command): void {
  const seed = program.command('seed').description('initial rows as SQL files');
  seed.addHelpText(
    'after',
    `
Examples
  joinery seed create customers
  joinery seed apply`,
  );
  onDatabase(connectionOptions(seed.command('apply')))
    .description('run the seeds of each database in one transaction')
    .option('-f, --file <name...>', 'only these files')
    .option('--once', 'skip files that were applied before')
    .addHelpText(
      'after',
      `
Examples
  joinery seed apply
  joinery seed apply --file customers.sql
  joinery seed apply --once`,
    )
    .action((given: SeedFlags) => outcome('seed apply', async () => (await loadSeeds()).seedApply(given)));
  onDatabase(connectionOptions(seed.command('create <name>')))
    .description('write a seed: empty, or with the rows of tables')
    .option('--from-table <table...>', 'tables whose rows the seed inserts, such as orders or billing.invoice')
    .addHelpText(
      'after',
      `
Examples
  joinery seed create customers
  joinery seed create countries --from-table country --from-table geo.region`,
    )
    .action((name: string, given: CreateSeedFlags) =>
      outcome('seed create', async () => (await import('./seed-create.ts')).seedCreate(name, given)),
    );
}

function onDatabase(command: Command): Command {
  return command
    .option('--database-name <name>', 'the source (default: each source with files)')
    .option('--all-databases', 'each source with files, as is the default');
}

function running(command: Command): Command {
  return command
    .option('--dry-run', 'print the SQL and run nothing')
    .option('--cascade', 'as --check, but drop metadata that depends on dropped objects');
}

function count(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('must be a whole number.');
  return Number(text);
}

function number(text: string): string {
  if (!/^\d{1,19}$/.test(text)) throw new InvalidArgumentError('must be the number of a migration.');
  return text;
}

function way(text: string): 'up' | 'down' {
  if (text === 'up' || text === 'down') return text;
  throw new InvalidArgumentError('must be up or down.');
}
