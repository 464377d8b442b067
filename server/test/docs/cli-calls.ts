/** Calls of the command line tool in documents, compared with docs/cli-reference.md, which is the help of the tool. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { flagName, options } from '../../src/config/options.ts';
import type { CodeBlock } from './code-blocks.ts';

const reference = readFileSync(fileURLToPath(new URL('../../../docs/cli-reference.md', import.meta.url)), 'utf8');

/** The options of each command, such as `joinery metadata apply`. */
const commands = new Map(
  [...reference.matchAll(/^## `(joinery[^`]*)`\n([\s\S]*?)(?=^## |$(?![\s\S]))/gm)].map(([, name = '', help = '']) => [
    name,
    new Set([...help.matchAll(/(?<![\w-])--?[a-z][\w-]*/gi)].map(([option]) => option)),
  ]),
);
/** `joinery serve` has an option for each setting, and one that reads the settings of Hasura v2. */
for (const option of [...Object.values(options).map(flagName), 'hasura-env']) {
  commands.get('joinery serve')?.add(`--${option}`);
}

/** Environment variables of the tool, which the help of its options has in brackets. */
export const variables = new Set([...reference.matchAll(/\[(JOINERY_\w+)\]/g)].map(([, name = '']) => name));

/** The first words of commands that have subcommands. */
const groups = new Set([...commands.keys()].flatMap((name) => prefixesOf(name.split(' '))));

function prefixesOf(words: readonly string[]): readonly string[] {
  return words.map((_, index) => words.slice(0, index + 1).join(' '));
}

/** The calls in scripts and in code within text: from `joinery` to the end of the command. */
export function commandLinesOf(document: string, blocks: readonly CodeBlock[]): readonly string[] {
  const scripts = blocks
    .filter(({ language }) => ['bash', 'sh', 'console'].includes(language))
    .flatMap(({ text }) => text.replaceAll('\\\n', ' ').split('\n'))
    .flatMap((line) => line.split(/&&|\|\||[;|]/))
    .map((line) => line.trim().replace(/^\$ /, ''));
  const inline = [...document.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...scripts, ...inline].flatMap((line) => /^(?:npx )?(joinery(?: .*)?)$/.exec(line)?.[1] ?? []);
}

/** The words of a call that no command or option has. */
export function unknownParts(line: string): readonly string[] {
  const words = line.replace(/\s#.*$/, '').split(/\s+/);
  const path: string[] = [];
  for (const word of words) {
    if (!groups.has([...path, word].join(' '))) break;
    path.push(word);
  }
  const name = path.join(' ');
  const next = words[path.length];
  if (!commands.has(name) && next !== undefined && /^[a-z]/.test(next)) return [line];
  const known = commands.get(name);
  const used = words.slice(path.length).flatMap((word) => /^(--?[a-z][\w-]*)(?:=.*)?$/i.exec(word)?.[1] ?? []);
  return used.filter((option) => known !== undefined && !known.has(option)).map((option) => `${name} ${option}`);
}
