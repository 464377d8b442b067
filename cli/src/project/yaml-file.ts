/** Parses a YAML or JSON file to a document with line numbers and comments. */
import { type Document, LineCounter, parseDocument, type ScalarTag } from 'yaml';
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
  if (problem === undefined) return { file, text, document, place };
  const message = problem.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? 'is not YAML';
  throw new CliError({ message, place: place(problem.pos[0]) }, { cause: problem });
}
