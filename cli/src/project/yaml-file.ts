/** One YAML (or JSON) file as a document that knows its lines and keeps its comments. */
import { type Document, LineCounter, parseDocument, type ScalarTag } from 'yaml';
import { type Place, ProjectError } from '../cli-error.ts';

export interface YamlFile {
  /** As messages name it. */
  readonly file: string;
  readonly text: string;
  readonly document: Document;
  /** Where the character at `offset` stands. */
  place(offset: number | undefined): Place;
}

/** Older projects write the tag `!include file`, newer ones the string `"!include file"`. */
export const INCLUDE = '!include ';
const includeTag: ScalarTag = {
  tag: '!include',
  resolve: (text) => INCLUDE + text.trim(),
  stringify: ({ value }) => String(value).slice(INCLUDE.length),
};

/** Throws ProjectError with file, line and column for what does not parse. */
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
  throw new ProjectError({ message, place: place(problem.pos[0]) }, { cause: problem });
}
