/** `joinery completion`: its argument and help. */
import type { Command } from 'commander';
import { outcome } from '../../print.ts';

export function addCompletion(program: Command): void {
  program
    .command('completion <shell>')
    .description('print the completion script of bash, zsh or fish, or the databases of the project')
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
        const { completionScript, databaseNames } = await import('./run.ts');
        const lines =
          shell === 'databases' ? (await databaseNames({}, process.env)).map((name) => `${name}\n`) : undefined;
        process.stdout.write(lines?.join('') ?? completionScript(program, shell));
        return 0;
      }),
    );
}
