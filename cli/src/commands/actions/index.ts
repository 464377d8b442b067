/** `joinery actions codegen`: its options and their help. */
import { type Command, Option } from 'commander';
import { connectionOptions } from '../../client/connection.ts';
import { outcome } from '../../print.ts';
import type { CodegenFlags } from './codegen.ts';

export function addActionsCodegen(program: Command): void {
  const codegen = program
    .command('actions')
    .description('code for the handlers of actions')
    .addHelpText('after', '\nExamples\n  joinery actions codegen --dir metadata --out handlers')
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
