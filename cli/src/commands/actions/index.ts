/** `joinery actions codegen`: its options and their help. */
import { type Command, Option } from 'commander';
import { outcome } from '../../print.ts';
import { connectionOptions } from '../../project/flags.ts';
import type { CodegenFlags } from './codegen.ts';
import type { CreateFlags } from './create.ts';

export function addActionsCommands(program: Command): void {
  const actions = program
    .command('actions')
    .description('actions of the project, and code for their handlers')
    .addHelpText(
      'after',
      `
Examples
  joinery actions create --sdl 'type Mutation { ship(order: Int!): Boolean }' --handler '{{HANDLER_URL}}/ship'
  joinery actions codegen --dir metadata --out handlers`,
    );
  addCreate(actions);
  addCodegen(actions);
}

function addCreate(actions: Command): void {
  const create = actions
    .command('create')
    .description('add actions and their types to the metadata directory; "joinery metadata apply" sends them')
    .option('--sdl <text>', 'signatures in type Query or Mutation, and the types that they use')
    .option('-f, --file <file>', 'a file with the SDL; "-" reads standard input')
    .option('--handler <url>', 'URL of the handler; {name} is the name of the action')
    .addOption(
      new Option('--kind <kind>', 'how mutations wait for the handler')
        .choices(['synchronous', 'asynchronous'])
        .default('synchronous'),
    )
    .option('--role <role...>', 'roles that may use the actions')
    .option('--dir <folder>', 'metadata directory (default: that of config.yaml, or "metadata")');
  connectionOptions(create)
    .addHelpText(
      'after',
      `
Examples
  joinery actions create --sdl 'type Mutation { ship(order: Int!): Shipment } type Shipment { id: Int! }' --role clerk
  joinery actions create --file ship.graphql --handler '{{HANDLER_URL}}/{name}'`,
    )
    .action((given: CreateFlags) =>
      outcome('actions create', async () => (await import('./create.ts')).createActions(given, process.env)),
    );
}

function addCodegen(actions: Command): void {
  const codegen = actions
    .command('codegen')
    .description('write TypeScript types and a skeleton of the handlers, from the metadata alone')
    .option('--action <name...>', 'only these actions')
    .addOption(
      new Option('--framework <name>', 'the HTTP server around them').choices(['node', 'express']).default('node'),
    )
    .option('--out <folder>', 'write files there; types.ts is overwritten, others are written once')
    .option('--types-only', 'no handlers and no server')
    .option('--dir <folder>', 'read this metadata directory instead of a running service');
  connectionOptions(codegen)
    .addHelpText(
      'after',
      `
Examples
  joinery actions codegen --dir metadata --out handlers
  joinery actions codegen --action placeOrder --framework express --out handlers
  joinery actions codegen --types-only > action-types.ts`,
    )
    .action((given: CodegenFlags) =>
      outcome('actions codegen', async () => {
        const { codegen: run } = await import('./codegen.ts');
        return run(given, process.env);
      }),
    );
}
