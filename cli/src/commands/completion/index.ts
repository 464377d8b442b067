/** `joinery completion`: its argument and help. */
import type { Command } from 'commander';
import { outcome } from '../../print.ts';

export function addCompletion(program: Command): void {
  program
    .command('completion <shell>')
    .description('print the completion script of bash, zsh or fish')
    .addHelpText(
      'after',
      `
Examples
  source <(joinery completion bash)
  joinery completion zsh > "\${fpath[1]}/_joinery"
  joinery completion fish > ~/.config/fish/completions/joinery.fish`,
    )
    .action((shell: string) =>
      outcome('completion', async () => {
        const { completionScript } = await import('./run.ts');
        process.stdout.write(completionScript(program, shell));
        return 0;
      }),
    );
}
