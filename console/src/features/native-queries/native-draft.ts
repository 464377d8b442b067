/** Drafts of native queries and logical models, and the lines of SQL errors. Pure. */
import type { ExportedSource } from '@joinery/metadata/document/exported-metadata';
import { LogicalModel, NativeQuery } from '@joinery/metadata/native-queries/schema';
import { jsonProblem } from '../../api/exact-json.ts';
import type { Mark } from '../../ui/editor/editor-props.ts';
import { byMember, schemaErrors } from '../../ui/form/beside-text/schema-errors.ts';

/** A native query in the metadata. */
export type QueryEntry = NonNullable<ExportedSource['native_queries']>[number];
/** A logical model in the metadata. */
export type ModelEntry = NonNullable<ExportedSource['logical_models']>[number];

/** An argument of a native query, or a field of a logical model. */
export interface TypedRow {
  /** Identifies the row while rows are added and removed. */
  readonly key: number;
  readonly name: string;
  /** The name of a type of PostgreSQL, or a type as JSON: `{"array": {"scalar": "text"}}`. */
  readonly type: string;
  readonly nullable: boolean;
  readonly description: string | null | undefined;
}

export interface QueryDraft {
  readonly name: string;
  readonly code: string;
  /** The name of a logical model. */
  readonly returns: string;
  readonly description: string;
  readonly arguments: readonly TypedRow[];
}

export interface ModelDraft {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly TypedRow[];
}

export function emptyRow(rows: readonly TypedRow[]): TypedRow {
  const key = Math.max(0, ...rows.map((row) => row.key)) + 1;
  return { key, name: '', type: '', nullable: false, description: undefined };
}

export function queryDraftOf(query: QueryEntry | undefined, models: readonly string[]): QueryDraft {
  return {
    name: query?.root_field_name ?? '',
    code: query?.code ?? '',
    returns: query?.returns ?? models[0] ?? '',
    description: query?.description ?? '',
    arguments: Object.entries(query?.arguments ?? {}).map(([name, { type, nullable, description }], key) => {
      return { key, name, type, nullable: nullable ?? false, description };
    }),
  };
}

/** Returns the native query. Relationships of `before` are preserved. */
export function queryFrom(draft: QueryDraft, before?: QueryEntry): QueryEntry {
  const rows = draft.arguments.filter(({ name }) => name.trim() !== '');
  const members = rows.map(({ name, type, nullable, description }) => {
    return [name.trim(), { type: type.trim(), nullable, ...(description && { description }) }] as const;
  });
  const { description: _description, arguments: _arguments, ...rest } = before ?? {};
  return {
    ...rest,
    root_field_name: draft.name.trim(),
    code: draft.code,
    returns: draft.returns,
    ...(members.length > 0 && { arguments: Object.fromEntries(members) }),
    ...(draft.description.trim() !== '' && { description: draft.description.trim() }),
  };
}

export function modelDraftOf(model: ModelEntry | undefined): ModelDraft {
  return {
    name: model?.name ?? '',
    description: model?.description ?? '',
    fields: (model?.fields ?? []).map(({ name, type, nullable, description }, key) => ({
      key,
      name,
      type: typeof type === 'string' ? type : JSON.stringify(type),
      nullable: nullable ?? false,
      description,
    })),
  };
}

/** Returns the logical model. Permissions of `before` are preserved. */
export function modelFrom(draft: ModelDraft, before?: ModelEntry): ModelEntry {
  const { description: _description, ...rest } = before ?? {};
  const fields = draft.fields.filter(({ name }) => name.trim() !== '');
  return {
    ...rest,
    name: draft.name.trim(),
    ...(draft.description.trim() !== '' && { description: draft.description.trim() }),
    fields: fields.map(({ name, type, nullable, description }) => ({
      name: name.trim(),
      type: typeIn(type),
      ...(nullable && { nullable }),
      ...(description && { description }),
    })),
  };
}

/** A type as JSON has its own member `nullable`. */
function typeIn(text: string): ModelEntry['fields'][number]['type'] {
  const isJson = text.trim().startsWith('{') && jsonProblem(text) === undefined;
  return isJson ? (JSON.parse(text) as ModelEntry['fields'][number]['type']) : text.trim();
}

const queryField = byMember({
  root_field_name: 'name',
  code: 'code',
  returns: 'returns',
  arguments: 'arguments',
});
const modelField = byMember({ name: 'name', fields: 'fields' });

export function queryErrors(draft: QueryDraft): Record<string, string> {
  return schemaErrors(NativeQuery, queryFrom(draft), { fieldOf: queryField });
}

export function modelErrors(draft: ModelDraft): Record<string, string> {
  return schemaErrors(LogicalModel, modelFrom(draft), { fieldOf: modelField });
}

/** Returns the error of a line of the SQL. Undefined for a message without a line. */
export function lineErrorOf(message: string): { readonly line: number; readonly message: string } | undefined {
  const [, line, text] = /(?:^|: )line (\d+): ([\s\S]*)$/.exec(message) ?? [];
  return line === undefined || text === undefined ? undefined : { line: Number(line), message: text };
}

/** Returns the mark of a whole line, without the spaces around its text. */
export function lineMark(text: string, { line, message }: { readonly line: number; readonly message: string }): Mark {
  const lines = text.split('\n');
  const index = Math.min(Math.max(line, 1), lines.length) - 1;
  const start = lines.slice(0, index).reduce((sum, one) => sum + one.length + 1, 0);
  const written = lines[index] ?? '';
  const from = start + (written.length - written.trimStart().length);
  return { from, to: Math.max(from, start + written.trimEnd().length), message, severity: 'error' };
}

/** Formats `best_articles(least: integer!, like: text): rated_article`. */
export function signatureOf({ root_field_name, arguments: given, returns }: QueryEntry): string {
  const list = Object.entries(given ?? {}).map(
    ([name, { type, nullable }]) => `${name}: ${type}${nullable ? '' : '!'}`,
  );
  return `${root_field_name}${list.length === 0 ? '' : `(${list.join(', ')})`}: ${returns}`;
}
