/** Errors of Kriti templates and their evaluation, with positions in the text. */
import type { Span } from './syntax.ts';

export type KritiErrorCode =
  | 'Parse Error'
  | 'Lex Error'
  | 'Name Error'
  | 'Attribute Error'
  | 'Type Error'
  | 'Index Error'
  | 'Function Error'
  /** The template or its result is too large. */
  | 'Limit Error';

/** Lines count from 0, columns from 1; the end is exclusive. */
export interface SourcePosition {
  readonly start_line: number;
  readonly start_column: number;
  readonly end_line: number;
  readonly end_column: number;
}

export class KritiError extends Error {
  readonly code: KritiErrorCode;
  readonly position: SourcePosition;

  constructor(code: KritiErrorCode, message: string, text: string, span: Span) {
    super(message);
    this.name = 'KritiError';
    this.code = code;
    this.position = positionOf(text, span);
  }

  /** The error in the format of existing tools. */
  toJSON(): { readonly error_code: string; readonly message: string; readonly source_position: SourcePosition } {
    return { error_code: this.code, message: this.message, source_position: this.position };
  }
}

function positionOf(text: string, { start, end }: Span): SourcePosition {
  const [startLine, startColumn] = lineAndColumn(text, start);
  const [endLine, endColumn] = lineAndColumn(text, end);
  return { start_line: startLine, start_column: startColumn, end_line: endLine, end_column: endColumn };
}

function lineAndColumn(text: string, offset: number): [line: number, column: number] {
  const lines = text.slice(0, offset).split('\n');
  return [lines.length - 1, [...(lines.at(-1) ?? '')].length + 1];
}
