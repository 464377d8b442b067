/** `joinery metadata ...`: reads a metadata directory and sends it to a running service. */
import type { Command } from 'commander';
import type { ApplyOptions } from './apply.ts';

export function addMetadataCommands(program: Command): void {
  const metadata = program.command('metadata').description('the metadata directory and a running service');
  metadata
    .command('apply')
    .description('replace the metadata of a running service by a directory')
    .option('--dir <folder>', 'metadata directory', 'metadata')
    .option('--endpoint <url>', 'the running service', process.env.JOINERY_ENDPOINT ?? 'http://127.0.0.1:8080')
    .option('--admin-secret <secret>', 'admin secret of the service [JOINERY_ADMIN_SECRET]')
    .option(
      '--header-prefix <prefix>',
      'prefix of its headers [JOINERY_HEADER_PREFIX]',
      process.env.JOINERY_HEADER_PREFIX ?? 'X-Service-',
    )
    .option('--allow-inconsistent', 'apply even if some objects cannot be used')
    .option('--dry-run', 'print the metadata as JSON and send nothing')
    .addHelpText(
      'after',
      `
Examples
  joinery metadata apply
  joinery metadata apply --dir metadata --endpoint https://data.example.com --admin-secret "$SECRET"
  joinery metadata apply --dry-run | jq .actions`,
    )
    .action(async (given: ApplyOptions) => {
      const { apply } = await import('./apply.ts');
      process.exitCode = await apply(given, process.env);
    });
}
