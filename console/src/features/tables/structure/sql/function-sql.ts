/** SQL that creates, replaces and drops functions. Pure. */
import type { TableName } from '../../../../shared/sources/table-paths.ts';
import { qualifiedName } from '../../../../shared/sql/sql-names.ts';
import { statements, typed } from './column-sql.ts';
import { commentSql } from './name-sql.ts';

export interface FunctionDraft {
  readonly name: string;
  /** SQL of the arguments: `self public.author, least int default 0`. */
  readonly arguments: string;
  /** SQL. */
  readonly result: string;
  readonly language: 'sql' | 'plpgsql';
  readonly volatility: 'immutable' | 'stable' | 'volatile';
  readonly body: string;
}

export function functionErrors({ name, result, body }: FunctionDraft): Record<string, string> {
  return {
    ...(name.trim() === '' && { name: 'Enter a name.' }),
    ...(result.trim() === '' && { result: 'Enter a type.' }),
    ...(body.trim() === '' && { body: 'Enter the SQL of the function.' }),
  };
}

export function createFunctionSql(schema: string, draft: FunctionDraft): string {
  const { name, arguments: taken, result, language, volatility, body } = draft;
  const called = qualifiedName({ schema, name: name.trim() });
  const delimiter = delimiterOf(body);
  return statements([
    `create function ${called}(${taken.trim()}) returns ${result.trim()}
language ${language} ${volatility} as ${delimiter}
${body.trim()}
${delimiter}`,
  ]);
}

/** A dollar quote that the text does not contain. */
function delimiterOf(text: string): string {
  for (let number = 0; ; number += 1) {
    const delimiter = number === 0 ? '$$' : `$body${number}$`;
    if (!text.includes(delimiter)) return delimiter;
  }
}

/** A function of the database. */
export interface PresentFunction extends TableName {
  /** The types of the arguments, as `pg_get_function_identity_arguments` prints them. */
  readonly identity: string;
  /** `create or replace function ...` without a semicolon. */
  readonly definition: string;
  readonly comment: string | null;
}

export interface DefinitionDraft {
  readonly definition: string;
  readonly comment: string;
}

export function definitionErrors({ definition }: DefinitionDraft): Record<string, string> {
  const creates = /^\s*create\s+(or\s+replace\s+)?function\b/i.test(definition);
  return creates ? {} : { definition: 'The definition begins with "create or replace function".' };
}

/** Returns the statements that give the function the definition and comment of the draft. Empty without a difference. */
export function replaceFunctionSql(before: PresentFunction, draft: DefinitionDraft): string {
  const definition = draft.definition.trim().replace(/;\s*$/, '');
  const comment = typed(draft.comment, before.comment ?? '');
  return statements([
    ...(definition === before.definition.trim() ? [] : [definition]),
    ...(comment === (before.comment ?? '')
      ? []
      : [commentSql(`function ${qualifiedName(before)}(${before.identity})`, comment)]),
  ]);
}

export function dropFunctionSql(
  { identity, ...called }: Omit<PresentFunction, 'definition' | 'comment'>,
  cascade: boolean,
): string {
  return statements([`drop function ${qualifiedName(called)}(${identity})${cascade ? ' cascade' : ''}`]);
}
