/**
 * Every code block of the site and of the documents of the repository is checked by its language. Examples that are run are
 * in `examples.test.ts` and in the tests of single pages.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { validate } from 'dockerfile-utils';
import { parse as parseGraphQL } from 'graphql';
import { parse as parseSql } from 'libpg-query';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';
import { parseAllDocuments } from 'yaml';
import { options, variableName } from '../../src/config/options.ts';
import { singleCommands } from '../../src/service/commands/registry.ts';
import { commandLinesOf, unknownParts, variables } from './cli-calls.ts';
import { type CodeBlock, codeBlocksOf } from './code-blocks.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const documents = [
  ...readdirSync(`${root}docs`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  ...['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'cli/README.md'],
].map((name) => ({ name, text: readFileSync(root + name, 'utf8') }));

/** Output and other text, and languages of which no parser is installed. */
const unchecked = new Set(['text', 'mermaid', 'nginx', 'http']);

/** Variables of the tests. */
const otherVariables = /^JOINERY_(?:TEST_|UPDATE_|DOCS_PICTURES)/;
/** The settings of the service, those that name files of secrets, and the settings of the command line tool. */
const settings = new Set([
  ...Object.values(options).flatMap((option) => {
    const name = variableName(option);
    return 'secret' in option ? [name, `${name}_FILE`] : [name];
  }),
  ...variables,
]);

/** Commands that contain others. */
const bulks = ['bulk', 'bulk_keep_going', 'bulk_atomic', 'concurrent_bulk'];

type Check = (block: CodeBlock) => unknown;

const script: Check = ({ text }) => {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr.trim());
};
/** An excerpt is a member of an object, or an element of a list. */
const program: Check = ({ text, language, words }) => {
  const lang = language === 'ts' ? 'ts' : 'tsx';
  const [open, close] = text.startsWith('{') ? ['([', '])'] : ['({', '})'];
  return parseAst(words.includes('excerpt') ? open + text + close : text, { lang, sourceType: 'module' });
};

/** Go and Python need not be installed. */
function tool(command: string, args: readonly string[], versionArgs: readonly string[]): Check {
  if (spawnSync(command, versionArgs).status !== 0) return () => undefined;
  return ({ text }) => {
    const { status, stderr } = spawnSync(command, args, { input: text, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr.trim());
  };
}

const checks: Readonly<Record<string, Check>> = {
  json: ({ text }) => JSON.parse(text),
  yaml: ({ text }) => {
    const [error] = parseAllDocuments(text).flatMap((one) => ('errors' in one ? one.errors : []));
    if (error !== undefined) throw error;
  },
  graphql: ({ text }) => parseGraphQL(text),
  sql: ({ text }) => parseSql(text),
  bash: script,
  sh: script,
  // A session: lines that begin with a prompt are commands, the others are output.
  console: (block) => script({ ...block, text: commandsOf(block.text) }),
  js: program,
  ts: program,
  jsx: program,
  tsx: program,
  python: tool('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], ['--version']),
  dockerfile: ({ text }) => {
    const [problem] = validate(text, {});
    if (problem !== undefined) throw new Error(String(problem.message));
  },
  go: tool('gofmt', ['-e'], ['-h']),
};

/** The commands of a session with their continued lines. */
function commandsOf(session: string): string {
  const lines: string[] = [];
  let isOpen = false;
  for (const line of session.split('\n')) {
    if (!isOpen && !line.startsWith('$ ')) continue;
    lines.push(isOpen ? line : line.slice(2));
    isOpen = line.endsWith('\\') || spawnSync('bash', ['-n'], { input: lines.join('\n') }).status !== 0;
  }
  return lines.join('\n');
}

/** What is wrong with a block; undefined if nothing is. */
async function problemOf(block: CodeBlock): Promise<string | undefined> {
  const { language, line } = block;
  if (unchecked.has(language)) return undefined;
  const check = checks[language];
  if (check === undefined) return `line ${line}: ${language === '' ? 'no language' : `"${language}" is not checked`}`;
  try {
    await check(block);
    return undefined;
  } catch (error) {
    return `line ${line}: ${language}: ${(error as Error).message.split('\n').slice(0, 2).join(' ')}`;
  }
}

function commandTypes(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { type, args } = value as { readonly type?: unknown; readonly args?: unknown };
  const own = typeof type === 'string' && args !== undefined && !Array.isArray(args) ? [type] : [];
  return [...own, ...Object.values(value).flatMap(commandTypes)];
}

describe.each(documents)('$name', ({ text }) => {
  const blocks = codeBlocksOf(text);

  it('has code blocks that can be parsed', async () => {
    const problems = await Promise.all(blocks.map(problemOf));
    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  });

  it('calls the command line tool with commands and options that exist', () => {
    expect(commandLinesOf(text, blocks).flatMap(unknownParts)).toEqual([]);
  });

  it('names settings that exist', () => {
    const named = new Set([...text.matchAll(/\bJOINERY_[A-Z0-9_]*[A-Z0-9]\b(?!_)/g)].map(([name]) => name));
    expect([...named].filter((name) => !settings.has(name) && !otherVariables.test(name))).toEqual([]);
  });

  it('sends metadata commands that exist', () => {
    const inJson = blocks
      .filter(({ language }) => language === 'json')
      .flatMap((block) => {
        try {
          return commandTypes(JSON.parse(block.text));
        } catch {
          return [];
        }
      });
    const inScripts = blocks
      .filter(({ language }) => ['sh', 'bash', 'console', 'js', 'ts'].includes(language))
      .flatMap((block) =>
        [...block.text.matchAll(/"?type"?: ["'](\w+)["'],\s*"?args"?:/g)].map(([, type = '']) => type),
      );
    const unknown = [...inJson, ...inScripts].filter((type) => !bulks.includes(type) && !singleCommands.has(type));
    expect(unknown).toEqual([]);
  });
});
