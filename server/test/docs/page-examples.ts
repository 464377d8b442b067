/** The examples of a documentation page: code blocks that are run in the order of the page, each with the response below it. */

/** A code block whose first line says how it is run: "```graphql role=user x-service-user-id=1". */
export interface Example {
  readonly kind: 'sql' | 'command' | 'graphql' | 'subscription' | 'script' | 'part' | 'received';
  readonly text: string;
  /** The line of the fence, from 1. */
  readonly line: number;
  /** The endpoint: "```json command /v2/query", "```graphql /v1beta1/relay". The path of a received request: "```json received /hook". */
  readonly endpoint: string;
  /** The name of a part of a request or statement, which `examples/parts.ts` completes: "```json part=customer". */
  readonly part: string | undefined;
  /** Headers of the request; `role` is that of the role. */
  readonly session: Readonly<Record<string, string>>;
  /** The block "```json variables" below the operation. */
  readonly variables: unknown;
  /** The block "```json response" below; undefined if the page shows none. */
  readonly response: string | undefined;
  /** Whether only keys and types of the response are compared: "```json response shape". */
  readonly isShape: boolean;
  /** Lines of the response block without its fences, for replacement: from the first to before the last. */
  readonly responseLines: readonly [first: number, last: number] | undefined;
}

interface Block {
  readonly language: string;
  readonly words: readonly string[];
  readonly text: string;
  readonly lines: readonly [first: number, last: number];
}

/** Returns the examples of a page. Throws for a response without an example. */
export function examplesOf(page: string): readonly Example[] {
  const examples: Example[] = [];
  for (const block of blocksOf(page)) {
    const kind = kindOf(block);
    if (kind !== undefined) {
      examples.push({
        kind,
        text: block.text,
        line: block.lines[0],
        endpoint:
          block.words.find((word) => word.startsWith('/')) ?? (kind === 'command' ? '/v1/metadata' : '/v1/graphql'),
        part: partOf(block.words),
        session: sessionOf(block.words),
        variables: undefined,
        ...(kind === 'received' ? responseOf(block) : withoutResponse),
        ...(block.language === 'console' ? sessionOutputOf(block.text) : {}),
      });
      continue;
    }
    if (block.language !== 'json' || !['variables', 'response'].includes(block.words[0] ?? '')) continue;
    const last = examples.pop();
    if (last === undefined) throw new Error(`line ${block.lines[0]}: no example above this block`);
    examples.push(
      block.words[0] === 'variables'
        ? { ...last, variables: JSON.parse(block.text) as unknown }
        : { ...last, ...responseOf(block) },
    );
  }
  return examples;
}

const withoutResponse = { response: undefined, isShape: false, responseLines: undefined };

function responseOf({ text, words, lines }: Block): Pick<Example, 'response' | 'isShape' | 'responseLines'> {
  return { response: text, isShape: words.includes('shape'), responseLines: lines };
}

/** A session has one command after `$ `, with continued lines, and its output, which is JSON. */
function sessionOutputOf(session: string): Pick<Example, 'text' | 'response'> {
  const lines = session.split('\n');
  const last = lines.findIndex((line) => !line.endsWith('\\'));
  return {
    text: lines
      .slice(0, last + 1)
      .join('\n')
      .replace(/^\$ /, ''),
    response: lines.slice(last + 1).join('\n'),
  };
}

function partOf(words: readonly string[]): string | undefined {
  return words.find((word) => word.startsWith('part='))?.slice('part='.length);
}

function kindOf({ language, words }: Block): Example['kind'] | undefined {
  if (partOf(words) !== undefined) return 'part';
  if (words[0] === 'run') return language === 'sql' ? 'sql' : 'script';
  if (language === 'json' && words[0] === 'command') return 'command';
  if (language === 'json' && words[0] === 'received') return 'received';
  if (language !== 'graphql' || words[0] === 'schema') return undefined;
  return words[0] === 'subscription' ? 'subscription' : 'graphql';
}

function sessionOf(words: readonly string[]): Readonly<Record<string, string>> {
  const pairs = words.filter((word) => word.includes('=')).map((word) => word.split('='));
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name === 'role' ? 'x-service-role' : name, value]));
}

function blocksOf(page: string): readonly Block[] {
  const lines = page.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, info] = /^```(\w.*)$/.exec(lines[at] ?? '') ?? [];
    if (info === undefined) continue;
    const end = lines.indexOf('```', at + 1);
    if (end === -1) throw new Error(`line ${at + 1}: the code block does not end`);
    const [language = '', ...words] = info.split(/\s+/);
    blocks.push({ language, words, text: lines.slice(at + 1, end).join('\n'), lines: [at + 1, end] });
    at = end;
  }
  return blocks;
}
