/** SQL that creates, replaces and drops functions. Pure. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import type { TableName } from '../../../../shared/sources/table-paths.ts';
import { qualifiedName, sqlName } from '../../../../shared/sql/sql-names.ts';
import { commentSql } from './name-sql.ts';
import { statements, typed } from './statements.ts';

export interface FunctionDraft {
  readonly schema: string;
  readonly name: string;
  /** SQL of the arguments: `self public.author, least int default 0`. */
  readonly arguments: string;
  /** SQL. */
  readonly result: string;
  readonly language: 'sql' | 'plpgsql';
  readonly volatility: 'immutable' | 'stable' | 'volatile';
  readonly body: string;
}

export const newFunction: FunctionDraft = {
  schema: 'public',
  name: '',
  arguments: '',
  result: '',
  language: 'sql',
  volatility: 'volatile',
  body: '',
};

/** A function of the row, for a computed field. */
export function functionOfRow({ table, columns: [first] }: TableInfo): FunctionDraft {
  return {
    schema: table.schema,
    name: '',
    arguments: `self ${qualifiedName(table)}`,
    result: 'text',
    language: 'sql',
    volatility: 'stable',
    body: first === undefined ? 'select null' : `select self.${sqlName(first.name)}`,
  };
}

/** A function that returns rows of the table. */
export function functionOfRows({ table }: TableInfo): FunctionDraft {
  return {
    schema: table.schema,
    name: '',
    arguments: '',
    result: `setof ${qualifiedName(table)}`,
    language: 'sql',
    volatility: 'stable',
    body: `select * from ${qualifiedName(table)}`,
  };
}

export function functionErrors({ schema, name, result, body }: FunctionDraft): Record<string, string> {
  return {
    ...(schema.trim() === '' && { schema: 'Enter a schema.' }),
    ...(name.trim() === '' && { name: 'Enter a name.' }),
    ...(result.trim() === '' && { result: 'Enter a type.' }),
    ...(body.trim() === '' && { body: 'Enter the SQL of the function.' }),
  };
}

export function createFunctionSql(draft: FunctionDraft): string {
  const { schema, name, arguments: taken, result, language, volatility, body } = draft;
  const called = qualifiedName({ schema: schema.trim(), name: name.trim() });
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

/** A function or procedure of the database. */
export interface PresentFunction extends TableName {
  readonly oid: number;
  /** The types of the arguments, as `pg_get_function_identity_arguments` prints them. */
  readonly identity: string;
  readonly arguments: string;
  /** Null for a procedure. */
  readonly result: string | null;
  /** `create or replace function ...` without a semicolon. */
  readonly definition: string;
  readonly comment: string | null;
}

export interface DefinitionDraft {
  readonly definition: string;
  readonly comment: string;
}

export function definitionErrors({ definition }: DefinitionDraft): Record<string, string> {
  const creates = /^\s*create\s+(or\s+replace\s+)?(function|procedure)\b/i.test(definition);
  return creates
    ? {}
    : { definition: 'The definition begins with "create or replace function" or "create or replace procedure".' };
}

/** Returns the statements that give the function the definition and comment of the draft. Empty without a difference. */
export function replaceFunctionSql(before: PresentFunction, draft: DefinitionDraft): string {
  const definition = draft.definition.trim().replace(/;\s*$/, '');
  const comment = typed(draft.comment, before.comment ?? '');
  return statements([
    ...(definition === before.definition.trim() ? [] : [definition]),
    ...(comment === (before.comment ?? '') ? [] : [commentSql(nameOf(before), comment)]),
  ]);
}

export function dropFunctionSql(called: NamedFunction, cascade: boolean): string {
  return statements([`drop ${nameOf(called)}${cascade ? ' cascade' : ''}`]);
}

/** Returns the SQL that creates a dropped or replaced function as it was. */
export function restoreFunctionSql({ definition, comment, ...called }: PresentFunction): string {
  return statements([definition.trim(), ...(comment === null ? [] : [commentSql(nameOf(called), comment)])]);
}

type NamedFunction = Pick<PresentFunction, 'schema' | 'name' | 'identity' | 'result'>;

function nameOf({ schema, name, identity, result }: NamedFunction): string {
  return `${result === null ? 'procedure' : 'function'} ${qualifiedName({ schema, name })}(${identity})`;
}
