/** SQL that creates and drops enum types, and adds and renames their values. Pure. */
import type { TableName } from '../../../../shared/sources/table-paths.ts';
import { qualifiedName, sqlText } from '../../../../shared/sql/sql-names.ts';
import { commentSql } from './name-sql.ts';
import { statements } from './statements.ts';

export interface EnumTypeDraft {
  readonly schema: string;
  readonly name: string;
  /** One on each line. */
  readonly values: string;
  readonly comment: string;
}

export const newEnumType: EnumTypeDraft = { schema: 'public', name: '', values: '', comment: '' };

export function enumTypeErrors(draft: EnumTypeDraft): Record<string, string> {
  const values = valuesOf(draft);
  const twice = values.find((one, place) => values.indexOf(one) !== place);
  return {
    ...(draft.schema.trim() === '' && { schema: 'Enter a schema.' }),
    ...(draft.name.trim() === '' && { name: 'Enter a name.' }),
    ...(values.length === 0 && { values: 'Enter a value.' }),
    ...(twice !== undefined && { values: `The value "${twice}" occurs twice.` }),
  };
}

export function enumTypeName({ schema, name }: EnumTypeDraft): TableName {
  return { schema: schema.trim(), name: name.trim() };
}

function valuesOf({ values }: EnumTypeDraft): readonly string[] {
  return values
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

export function createEnumSql(draft: EnumTypeDraft): string {
  const type = enumTypeName(draft);
  const comment = draft.comment.trim();
  return [
    restoreEnumSql({ ...type, values: valuesOf(draft) }),
    ...(comment === '' ? [] : [statements([commentSql(`type ${qualifiedName(type)}`, comment)])]),
  ].join('\n');
}

/** Returns the SQL that creates a dropped type again. */
export function restoreEnumSql(type: TableName & { readonly values: readonly string[] }): string {
  return statements([`create type ${qualifiedName(type)} as enum (${type.values.map(sqlText).join(', ')})`]);
}

export interface EnumValueDraft {
  readonly value: string;
  readonly place: 'last' | 'before' | 'after';
  /** The value that the place refers to. */
  readonly neighbor: string;
}

export function enumValueErrors({ value, place, neighbor }: EnumValueDraft): Record<string, string> {
  return {
    ...(value.trim() === '' && { value: 'Enter a value.' }),
    ...(place !== 'last' && neighbor === '' && { neighbor: 'Select a value.' }),
  };
}

export function addEnumValueSql(type: TableName, { value, place, neighbor }: EnumValueDraft): string {
  const where = place === 'last' ? '' : ` ${place} ${sqlText(neighbor)}`;
  return statements([`alter type ${qualifiedName(type)} add value ${sqlText(value.trim())}${where}`]);
}

export function renameEnumValueSql(type: TableName, from: string, to: string): string {
  return statements([`alter type ${qualifiedName(type)} rename value ${sqlText(from)} to ${sqlText(to.trim())}`]);
}

export function dropTypeSql(type: TableName, cascade: boolean): string {
  return statements([`drop type ${qualifiedName(type)}${cascade ? ' cascade' : ''}`]);
}
