/** `joinery init`: its argument and help. */
import type { Command } from 'commander';
import { outcome } from '../../print.ts';

export function addInit(program: Command): void {
  program
    .command('init [folder]')
    .description('create a project: configuration, migration, metadata and a handler')
    .addHelpText(
      'after',
      `
Examples
  joinery init shop
  joinery init                                into this folder`,
    )
    .action((folder: string | undefined) =>
      outcome('init', async () => (await import('./run.ts')).init(folder ?? '.')),
    );
}
