/** `joinery metadata ...`: the options of the metadata commands and their help. */
import type { Command } from 'commander';
import { CliError } from '../../cli-error.ts';
import { outcome, outputOption, printJson, wantsJson } from '../../print.ts';
import { connectionOptions } from '../../project/flags.ts';
import type { ApplyFlags } from './apply.ts';
import type { MetadataFlags } from './open-metadata.ts';

export function addMetadataCommands(program: Command): void {
  const metadata = program.command('metadata').alias('md').description('the metadata directory and a running service');
  addApply(metadata);
  addDiff(metadata);
  addExport(metadata);
  addValidate(metadata);
  addSchemas(metadata);
  addClear(metadata);
  addReload(metadata);
  addInconsistency(metadata);
  examples(metadata, 'joinery metadata apply\n  joinery metadata diff\n  joinery metadata export');
}

function addApply(metadata: Command): void {
  const command = project(metadata.command('apply'))
    .description('replace the metadata of a running service by that of the project')
    .option('--strict', 'reject metadata with objects that cannot be used or members that have no effect')
    .option('--fail-on-inconsistent', 'reject metadata with objects that cannot be used')
    .option('--disallow-inconsistent-metadata', 'the same')
    .option('--allow-inconsistent', 'apply even if some objects cannot be used (default)')
    .option('--dry-run', 'show what would change, by object and by role; nothing is changed')
    .option('--exit-code', 'with --dry-run: exit with 2 where there are differences')
    .option('--any-version', 'even if the service has another version than this command');
  examples(
    command,
    `joinery metadata apply
  joinery metadata apply --dry-run
  joinery metadata apply --project shop --endpoint https://data.example.com --admin-secret "$SECRET"
  joinery metadata apply --dir metadata -o json | jq .faults`,
  ).action((given: ApplyFlags) =>
    run('metadata apply', given, async () => (await import('./apply.ts')).apply(given, process.env)),
  );
}

function addDiff(metadata: Command): void {
  const command = project(metadata.command('diff [folder] [other]'))
    .description('what applying would change; with two folders, what is different in the second')
    .option('--exit-code', 'exit with 2 where there are differences')
    .option('--strict', 'exit with 1 if objects could not be used or members would have no effect')
    .option('--allow-inconsistent', 'exit with 0 even if some objects could not be used (default)')
    .option('--any-version', 'even if the service has another version than this command');
  examples(
    command,
    `joinery metadata diff
  joinery metadata diff --exit-code --endpoint https://data.example.com
  joinery metadata diff metadata metadata-of-yesterday`,
  ).action((folder: string | undefined, other: string | undefined, given: ApplyFlags) => {
    const folders = [folder, other].filter((one) => one !== undefined);
    return run('metadata diff', given, async () => (await import('./apply.ts')).diff(folders, given, process.env));
  });
}

function addExport(metadata: Command): void {
  const command = project(metadata.command('export'))
    .description('write the metadata of a running service to the project; equal files stay unchanged')
    .option('--layout <version>', 'of a new directory: 2 or 3 (default: 3)')
    .option('--normalize', 'remove members that are ignored, here and by Hasura v2')
    .option('--dry-run', 'list the files that would be written or removed');
  examples(command, 'joinery metadata export\n  joinery metadata export --dir metadata --dry-run').action(
    (given: MetadataFlags) =>
      run('metadata export', given, async () => (await import('./export.ts')).exportTo(given, process.env)),
  );
}

function addValidate(metadata: Command): void {
  const command = project(metadata.command('validate')).description('check the files of the project without a service');
  examples(command, 'joinery metadata validate\n  joinery metadata validate --dir metadata -o json').action(
    (given: MetadataFlags) =>
      run('metadata validate', given, async () => (await import('./apply.ts')).validate(given, process.env)),
  );
}

function addSchemas(metadata: Command): void {
  const command = project(metadata.command('schemas')).description(
    'write the JSON Schemas of the files for editors, and a reference to them in each file without one',
  );
  examples(command, 'joinery metadata schemas\n  joinery metadata schemas --dir metadata -o json').action(
    (given: MetadataFlags) =>
      run('metadata schemas', given, async () => (await import('./schemas.ts')).writeSchemas(given, process.env)),
  );
}

function addClear(metadata: Command): void {
  const command = service(metadata.command('clear').alias('reset'))
    .description('empty the metadata of a running service; the project and the data stay')
    .option('--yes', 'really');
  examples(command, 'joinery metadata clear --yes').action((given: MetadataFlags & { readonly yes?: boolean }) =>
    run('metadata clear', given, async () => (await import('./service.ts')).clear(given, process.env)),
  );
}

function addReload(metadata: Command): void {
  const command = service(metadata.command('reload'))
    .description('have a running service read its databases and remote schemas again')
    .option('--source <name...>', 'these databases alone')
    .option('--remote-schema <name...>', 'these remote schemas alone');
  examples(command, 'joinery metadata reload\n  joinery metadata reload --remote-schema loyalty').action(
    (given: MetadataFlags) =>
      run('metadata reload', given, async () => (await import('./service.ts')).reload(given, process.env)),
  );
}

function addInconsistency(metadata: Command): void {
  const group = metadata.command('inconsistency').alias('ic').description('objects that the service cannot use');
  examples(group, 'joinery metadata inconsistency list');
  const list = service(group.command('list')).description(
    'which they are, and why; also members of the metadata that have no effect',
  );
  examples(list, 'joinery metadata inconsistency list\n  joinery metadata ic list -o json').action(
    (given: MetadataFlags) =>
      run('metadata inconsistency list', given, async () =>
        (await import('./service.ts')).listInconsistent(given, process.env),
      ),
  );
  const status = service(group.command('status'))
    .description('exit with 1 where objects cannot be used')
    .option('--strict', 'also where members of the metadata have no effect');
  examples(status, 'joinery metadata inconsistency status || echo broken').action((given: MetadataFlags) =>
    run('metadata inconsistency status', given, async () =>
      (await import('./service.ts')).inconsistencyStatus(given, process.env),
    ),
  );
  const drop = service(group.command('drop')).description(
    'drop them from the metadata of the service; members without effect stay',
  );
  examples(drop, 'joinery metadata inconsistency drop').action((given: MetadataFlags) =>
    run('metadata inconsistency drop', given, async () =>
      (await import('./service.ts')).dropInconsistent(given, process.env),
    ),
  );
}

function project(command: Command): Command {
  return service(command).option('--dir <folder>', 'metadata directory (default: that of config.yaml, or "metadata")');
}

function service(command: Command): Command {
  return outputOption(connectionOptions(command));
}

function examples(command: Command, lines: string): Command {
  return command.addHelpText('after', `\nExamples\n  ${lines}`);
}

/** Runs a command; `-o json` prints errors as `{ "error", "faults": [{ "message", "place", "code", "path" }] }`. */
function run(name: string, flags: MetadataFlags, work: () => Promise<number>): Promise<void> {
  return outcome(name, async () => {
    const json = wantsJson(flags);
    try {
      return await work();
    } catch (error) {
      if (!json || !(error instanceof CliError)) throw error;
      printJson({ error: error.message, faults: error.details });
      return 1;
    }
  });
}
