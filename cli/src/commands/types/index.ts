/** `joinery types ...`: schemas of roles, and types for those who write handlers and receivers. */
import type { Command } from 'commander';
import { connectionOptions } from '../../client/connection.ts';
import { outcome, outputOption } from '../../print.ts';
import type { DiffFlags, SchemaFlags, WebhookFlags } from './run.ts';

const load = () => import('./run.ts');

export function addTypesCommands(program: Command): void {
  const types = program.command('types').description('what roles see as SDL, and TypeScript types');
  connectionOptions(types.command('schema'))
    .description('the GraphQL schema of a role as SDL')
    .option('--role <name>', 'the role', 'admin')
    .option('--out <file>', 'write it there')
    .addHelpText(
      'after',
      `
Examples
  joinery types schema --role user
  joinery types schema --role user --out schema.graphql`,
    )
    .action((given: SchemaFlags) => outcome('types schema', async () => (await load()).writeSchema(given)));
  outputOption(connectionOptions(types.command('diff <before> <after>')))
    .description('how two schemas differ: files, services or roles')
    .option('--role <name>', 'the role at services that are given by URL', 'admin')
    .option('--fail-on-breaking', 'exit with 1 where requests may fail that worked before')
    .addHelpText(
      'after',
      `
Examples
  joinery types diff user manager                    two roles of the running service
  joinery types diff schema.graphql user --fail-on-breaking
  joinery types diff https://data.example.com http://127.0.0.1:8080 --role user`,
    )
    .action((before: string, after: string, given: DiffFlags) =>
      outcome('types diff', async () => (await load()).diffSchemas(before, after, given), given),
    );
  connectionOptions(types.command('handlers'))
    .description('TypeScript types for handlers of actions, as "joinery actions codegen --types-only" writes them')
    .option('--action <name...>', 'these actions alone')
    .option('--dir <folder>', 'read this metadata directory; no service is asked')
    .addHelpText(
      'after',
      `
Examples
  joinery types handlers > action-types.ts
  joinery types handlers --dir metadata --action placeOrder`,
    )
    .action((given: object) =>
      outcome('types handlers', async () => {
        const { codegen } = await import('../actions/codegen.ts');
        return codegen({ framework: 'node', ...given, typesOnly: true }, process.env);
      }),
    );
  connectionOptions(types.command('webhooks'))
    .description('TypeScript types of what cron triggers send, for use with joinery/webhooks')
    .option('--out <file>', 'write them there')
    .addHelpText(
      'after',
      `
Examples
  joinery types webhooks --out webhook-types.ts`,
    )
    .action((given: WebhookFlags) => outcome('types webhooks', async () => (await load()).writeWebhookTypes(given)));
  types.addHelpText(
    'after',
    `
Examples
  joinery types schema --role user > schema.graphql
  joinery types diff user manager`,
  );
}
