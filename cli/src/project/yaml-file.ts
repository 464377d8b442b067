/** Parses a YAML or JSON file to a document with line numbers and comments. */
import { type Document, LineCounter, parseDocument, type ScalarTag, visit } from 'yaml';
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

/** Throws CliError with file, line and column for invalid YAML. */
export function parseYaml(text: string, file: string): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, merge: true, customTags: [includeTag] });
  const place = (offset: number | undefined): Place => {
    const { line, col } = lines.linePos(offset ?? 0);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const [problem] = document.errors;
  if (problem === undefined) {
    rejectAliases(document, place);
    return { file, text, document, place };
  }
  const message = problem.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? 'is not YAML';
  throw new CliError({ message, place: place(problem.pos[0]) }, { cause: problem });
}

/** Throws CliError for an alias without a value: its anchor is not defined before it, or the alias is a part of its own value. */
function rejectAliases(document: Document, place: YamlFile['place']): void {
  visit(document, {
    Alias(_key, alias, parents) {
      const value = alias.resolve(document);
      if (value !== undefined && !parents.includes(value)) return;
      const reason = value === undefined ? 'has no anchor before it' : 'is a part of its own value';
      throw new CliError({ message: `the alias *${alias.source} ${reason}`, place: place(alias.range?.[0]) });
    },
  });
}

/** Returns the value of a file. Throws CliError where merge keys have no mappings, or aliases repeat too much. */
export function yamlValue({ document, place }: Pick<YamlFile, 'document' | 'place'>): unknown {
  try {
    return document.toJS() as unknown;
  } catch (cause) {
    throw new CliError(
      { message: cause instanceof Error ? cause.message : String(cause), place: place(undefined) },
      { cause },
    );
  }
}
