/** SQL that renames and comments indexes, constraints, types and functions. Pure. */
import type { TableName } from '../../../../shared/sources/table-paths.ts';
import { qualifiedName, sqlName, sqlText } from '../../../../shared/sql/sql-names.ts';
import { statements, typed } from './statements.ts';

export interface NameDraft {
  readonly name: string;
  readonly comment: string;
}

/** How SQL names an object. */
export interface NamedObject {
  readonly name: string;
  readonly comment: string | null;
  /** After `comment on`: `index public.a_idx`. */
  readonly commented: string;
  /** Returns the statement that renames the object. `to` is an SQL name. */
  readonly rename: (to: string) => string;
}

export function indexObject(schema: string, { name, comment }: Named): NamedObject {
  const index = `index ${qualifiedName({ schema, name })}`;
  return { name, comment, commented: index, rename: (to) => `alter ${index} rename to ${to}` };
}

export function constraintObject(table: TableName, { name, comment }: Named): NamedObject {
  const constraint = `constraint ${sqlName(name)}`;
  return {
    name,
    comment,
    commented: `${constraint} on ${qualifiedName(table)}`,
    rename: (to) => `alter table ${qualifiedName(table)} rename ${constraint} to ${to}`,
  };
}

export function typeObject({ schema, name, comment }: Named & { readonly schema: string }): NamedObject {
  const type = `type ${qualifiedName({ schema, name })}`;
  return { name, comment, commented: type, rename: (to) => `alter ${type} rename to ${to}` };
}

type Named = Pick<NamedObject, 'name' | 'comment'>;

export function nameErrors({ name }: NameDraft): Record<string, string> {
  return name.trim() === '' ? { name: 'Enter a name.' } : {};
}

/** Returns the statements that give the object the name and the comment of the draft. Empty without a difference. */
export function changeNamedSql(object: NamedObject, draft: NameDraft): string {
  const name = typed(draft.name, object.name);
  const comment = typed(draft.comment, object.comment ?? '');
  return statements([
    ...(comment === (object.comment ?? '') ? [] : [commentSql(object.commented, comment)]),
    ...(name === object.name || name === '' ? [] : [object.rename(sqlName(name))]),
  ]);
}

/** An empty comment is removed. */
export function commentSql(commented: string, comment: string): string {
  return `comment on ${commented} is ${comment === '' ? 'null' : sqlText(comment)}`;
}
