/** Returns the names of variables in a template such as `{{HANDLERS}}/place`. */
import type { Failure } from '../../api/failure.ts';

export function variablesIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/\{\{\s*([^{}\s]+)\s*\}\}/g)].map(([, name = '']) => name))];
}

interface TemplateError {
  readonly path?: string;
  readonly message?: string;
  /** Starts at 0. */
  readonly source_position?: { readonly start_line: number; readonly start_column: number };
}

/** Returns the template errors with the member of the transform and the position. */
export function templateProblems({
  internal,
}: Failure): readonly { readonly path: string; readonly message: string }[] {
  if (!Array.isArray(internal)) return [];
  return (internal as readonly TemplateError[]).map(({ path = '$', message = '', source_position: at }) => ({
    path: path.replace(/^\$\.args\./, ''),
    message: at === undefined ? message : `line ${at.start_line + 1}, column ${at.start_column + 1}: ${message}`,
  }));
}
