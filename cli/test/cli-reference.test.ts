/** docs/cli-reference.md is the help of every command. `JOINERY_UPDATE_EXAMPLES=1` writes it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { createProgram } from '../src/main.ts';

const file = fileURLToPath(new URL('../../docs/cli-reference.md', import.meta.url));

const introduction = `# Reference of the command line

With this page you look up every command and option of \`joinery\`. What the commands do together is described in [cli.md](cli.md) and
[cli-commands.md](cli-commands.md). The text of each section is that of \`--help\`.
`;

/** Commands without others below them, with the names of those above. */
function leavesOf(command: Command, path: readonly string[]): readonly (readonly [string, Command])[] {
  const names = [...path, command.name()];
  if (command.commands.length === 0) return [[names.join(' '), command]];
  return command.commands.flatMap((one) => leavesOf(one, names));
}

function helpOf(command: Command): string {
  let text = '';
  command.configureHelp({ helpWidth: 110 });
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 110 });
  command.outputHelp();
  return text.trimEnd();
}

async function reference(): Promise<string> {
  const program = await createProgram(['node', 'joinery']);
  const sections = leavesOf(program, []).map(
    ([name, command]) => `## \`${name}\`\n\n\`\`\`text\n${helpOf(command)}\n\`\`\``,
  );
  return `${[introduction, ...sections].join('\n')}\n`.replaceAll('```\n## ', '```\n\n## ');
}

it('docs/cli-reference.md is the help of every command', async () => {
  const generated = await reference();
  if (process.env.JOINERY_UPDATE_EXAMPLES === '1') writeFileSync(file, generated);
  expect(readFileSync(file, 'utf8')).toBe(generated);
});
