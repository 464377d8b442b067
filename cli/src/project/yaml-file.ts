/** Parses a YAML or JSON file to a document with line numbers and comments. */
import {
  type Document,
  isAlias,
  isCollection,
  isNode,
  isPair,
  isScalar,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  parseDocument,
  type ScalarTag,
} from 'yaml';
import { CliError, type Place } from '../cli-error.ts';

export interface YamlFile {
  /** The path for messages. */
  readonly file: string;
  readonly text: string;
  readonly document: Document;
  /** Returns the place of the character at `offset`. */
  place(offset: number | undefined): Place;
}

/** Prefix of includes: the tag `!include file` in older projects, the string `"!include file"` in newer ones. */
export const INCLUDE = '!include ';
const includeTag: ScalarTag = {
  tag: '!include',
  resolve: (text) => INCLUDE + text.trim(),
  stringify: ({ value }) => String(value).slice(INCLUDE.length),
};

/** Deeper values overflow the stack of the parser. Metadata is nested less than 50 times. */
const MAX_DEPTH = 400;
/** The values of a file after aliases are replaced. */
const MAX_VALUES = 1_000_000;
/** Each alias costs a search of the file. */
const MAX_ALIASES = 5_000;
/** The beginning of the tags that files write with `!!`. */
const CORE_TAG = 'tag:yaml.org,2002:';
/** Other tags have values that JSON lacks, or none. */
const permittedTags: ReadonlySet<string> = new Set([
  '!include',
  ...['str', 'int', 'float', 'bool', 'null', 'map', 'seq', 'timestamp', 'merge'].map((name) => CORE_TAG + name),
]);

type PlaceOf = YamlFile['place'];

/** Throws CliError with file, line and column for invalid YAML, and for YAML whose value is not a tree of JSON values. */
export function parseYaml(text: string, file: string): YamlFile {
  const lines = new LineCounter();
  const place = (offset: number | undefined): Place => {
    const { line, col } = lines.linePos(offset ?? 0);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  rejectCharacters(text, file);
  rejectDepth(text, file);
  const document = parseDocument(text, {
    lineCounter: lines,
    merge: true,
    customTags: [includeTag],
    logLevel: 'error',
  });
  const [problem] = document.errors;
  if (problem === undefined) {
    rejectValues(document, place);
    return { file, text, document, place };
  }
  const message = problem.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? 'is not YAML';
  throw new CliError({ message, place: place(problem.pos[0]) }, { cause: problem });
}

/** Returns the place of `offset` before the lines of the text are known. */
function placeIn(text: string, file: string, offset: number): Place {
  const before = text.slice(0, offset).split('\n');
  return { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function rejectCharacters(text: string, file: string): void {
  const nul = text.indexOf('\0');
  if (nul < 0) return;
  throw new CliError({ message: 'the file contains a NUL character', place: placeIn(text, file, nul) });
}

/** Throws CliError for values that are nested too deeply to be composed, before they are. */
function rejectDepth(text: string, file: string): void {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    // Runs the parser; its tokens are not used.
    for (const _token of parser.next(lexeme));
    if (parser.stack.length <= MAX_DEPTH) continue;
    const message = `values are nested too deeply: more than ${MAX_DEPTH} times`;
    throw new CliError({ message, place: placeIn(text, file, parser.offset) });
  }
}

/** Throws CliError for values that JSON lacks, aliases without a value, and aliases that repeat too many values. */
function rejectValues(document: Document, place: PlaceOf): void {
  const anchors = new Map<string, Node>();
  const sizes = new Map<Node, number>();
  /** The nodes that contain the present one. */
  const within = new Set<Node>();
  let aliases = 0;
  const reject = (message: string, node: Node): never => {
    throw new CliError({ message, place: place(node.range?.[0]) });
  };
  /** Returns the number of values of the node. */
  const check = (node: unknown): number => {
    if (!isNode(node)) return 0;
    if (isAlias(node)) {
      const target = anchors.get(node.source) ?? reject(`the alias *${node.source} has no anchor before it`, node);
      aliases += 1;
      if (aliases > MAX_ALIASES) reject(`the file has more than ${MAX_ALIASES} aliases`, node);
      if (within.has(target)) reject(`the alias *${node.source} is a part of its own value`, node);
      return sizes.get(target) ?? 1;
    }
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    if (node.tag !== undefined && !permittedTags.has(node.tag)) {
      reject(`the tag ${node.tag.replace(CORE_TAG, '!!')} is not supported`, node);
    }
    if (isScalar(node) && typeof node.value === 'number' && !Number.isFinite(node.value)) {
      reject(`${node.source ?? String(node.value)} is not a number of JSON`, node);
    }
    within.add(node);
    let size = 1;
    const add = (child: unknown): void => {
      size += check(child);
      if (size > MAX_VALUES) reject(`aliases repeat more than ${MAX_VALUES} values`, isNode(child) ? child : node);
    };
    for (const item of isCollection(node) ? node.items : []) {
      if (!isPair(item)) {
        add(item);
        continue;
      }
      const key = isAlias(item.key) ? anchors.get(item.key.source) : item.key;
      if (isCollection(key)) reject('the name of a member must be a string', isNode(item.key) ? item.key : node);
      add(item.key);
      add(item.value);
    }
    within.delete(node);
    sizes.set(node, size);
    return size;
  };
  check(document.contents);
}

/** Returns the value of a file. Throws CliError where merge keys have no mappings. */
export function yamlValue({ document, place }: Pick<YamlFile, 'document' | 'place'>): unknown {
  try {
    // The number of repeated values is limited by `parseYaml`.
    return document.toJS({ maxAliasCount: -1 }) as unknown;
  } catch (cause) {
    throw new CliError(
      { message: cause instanceof Error ? cause.message : String(cause), place: place(undefined) },
      { cause },
    );
  }
}
