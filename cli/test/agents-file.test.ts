/** Tests of the instructions for coding agents: their commands, paths and pages exist. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentsFile } from '../src/commands/init/agents.ts';
import { createProgram } from '../src/main.ts';
import { joinery } from './support/command.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const inCode = (text: string): readonly string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joinery-agents-'));
  expect(await joinery(['init', folder])).toMatchObject({ code: 0, err: '' });
});
afterAll(() => rm(folder, { recursive: true }));

/** Returns what is wrong with a command line, or undefined. */
function errorOf(program: Command, line: string): string | undefined {
  let command = program;
  const [, ...words] = line.split(' ');
  const values: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const below = values.length === 0 ? command.commands.find((one) => one.name() === word) : undefined;
    const option = command.options.find(({ long, short }) => long === word || short === word);
    if (below !== undefined) command = below;
    else if (option !== undefined) index += option.required ? 1 : 0;
    else if (word.startsWith('-')) return `${command.name()} has no option ${word}`;
    else values.push(word);
  }
  const most = command.registeredArguments.length;
  if (command.commands.length > 0) return `${command.name()} needs a command`;
  return values.length > most ? `${command.name()} takes no ${values[most]}` : undefined;
}

const commandLines = [...agentsFile.matchAll(/(?:npx )?(joinery [a-z][^`\n|]*)/g)].map(([, line = '']) => line.trim());

describe('AGENTS.md of a new project', () => {
  it('is written by joinery init', async () => {
    expect(await readFile(join(folder, 'AGENTS.md'), 'utf8')).toBe(agentsFile);
  });

  it('has 60 to 100 lines', () => {
    const lines = agentsFile.split('\n').length;
    expect(lines >= 60 && lines <= 100).toBe(true);
  });

  it('names at least ten commands', () => {
    expect(new Set(commandLines).size).toBeGreaterThan(10);
  });

  it.each([...new Set(commandLines)])('has the command "%s" of the command line', async (line) => {
    expect(errorOf(await createProgram(['node', 'joinery']), line)).toBeUndefined();
  });

  it('lists files and folders of the project', () => {
    const paths = inCode(agentsFile).filter((code) => /^[\w.]+\/[\w./]*$|^[\w]*\.(?:yaml|example|env)$/.test(code));
    expect(paths.filter((path) => !existsSync(join(folder, path)) && !isInTables(path))).toEqual([]);
  });

  it('names pages of the documentation that exist', () => {
    const pages = inCode(agentsFile).flatMap((code) => /^\/docs\/([\w-]+\.md)$/.exec(code)?.[1] ?? []);
    expect([pages.length > 3, pages.filter((page) => !existsSync(join(root, 'docs', page)))]).toEqual([true, []]);
  });

  it('does not replace one that exists', async () => {
    const other = await mkdtemp(join(tmpdir(), 'joinery-agents-'));
    await writeFile(join(other, 'AGENTS.md'), 'Ours.\n');
    const { code } = await joinery(['init', other]);
    const text = await readFile(join(other, 'AGENTS.md'), 'utf8');
    await rm(other, { recursive: true });
    expect({ code, text }).toEqual({ code: 0, text: 'Ours.\n' });
  });

  it('has a check of the files that prints what it says', async () => {
    const { code, out } = await joinery(['metadata', 'validate'], {}, folder);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('metadata is well-formed') });
  });
});

/** Paths relative to `metadata/databases/<source>/`, and the parts of a migration. */
function isInTables(path: string): boolean {
  const base = join(folder, 'metadata/databases/default');
  const migration = join(folder, 'migrations/default/1700000000000_init');
  return [base, join(base, 'tables'), migration].some((one) => existsSync(join(one, path)));
}

describe('AGENTS.md of the repository', () => {
  const read = () => readFile(join(root, 'AGENTS.md'), 'utf8');

  it('names files and folders that exist', async () => {
    const text = await read();
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);
    const paths = inCode(text).flatMap((code) => /[\w.-]+\/[\w./-]*|[\w.-]+\.json/.exec(code)?.[0] ?? []);
    expect([...links, ...paths].filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names scripts of package.json', async () => {
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const used = [...(await read()).matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);
    expect(used.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});
