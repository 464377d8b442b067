/** `joinery types ...`: schemas of roles, and types for handlers and webhook receivers. */
import type { Command } from 'commander';
import { outcome, outputOption } from '../../print.ts';
import { connectionOptions } from '../../project/flags.ts';
import type { DiffFlags, SchemaFlags, WebhookFlags } from './run.ts';

const load = () => import('./run.ts');

export function addTypesCommands(program: Command): void {
  const types = program.command('types').description('schemas of roles as SDL, and TypeScript types');
  connectionOptions(types.command('schema'))
    .description('the GraphQL schema of a role as SDL')
    .option('--role <name>', 'the role', 'admin')
    .option('--out <file>', 'file to write (default: standard output)')
    .addHelpText(
      'after',
      `
Examples
  joinery types schema --role user
  joinery types schema --role user --out schema.graphql`,
    )
    .action((given: SchemaFlags) => outcome('types schema', async () => (await load()).writeSchema(given)));
  outputOption(connectionOptions(types.command('diff <before> <after>')))
    .description('compare two schemas: files, services or roles')
    .option('--role <name>', 'role at services given by URL', 'admin')
    .option('--fail-on-breaking', 'exit with 1 for breaking changes')
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
    .option('--action <name...>', 'only these actions')
    .option('--dir <folder>', 'read this metadata directory instead of a running service')
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
    .description('TypeScript types of the payloads of cron triggers, for joinery/webhooks')
    .option('--out <file>', 'file to write (default: standard output)')
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
