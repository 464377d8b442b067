/** Runs SQL of the console as a migration: the SQL and its record as applied are one transaction. */
import type { MigrationDraft, MigrationRequest, ProjectMigration } from '@joinery/metadata/api/project';
import { isJsonObject } from '@joinery/metadata/json';
import { migrationName, undoSql } from '@joinery/metadata/sql/undo';
import { CliError } from '../../cli-error.ts';
import type { HttpResponse } from '../../client/http-request.ts';
import type { Migration } from '../migrate/files.ts';
import { isWithoutTransaction } from '../migrate/parts.ts';
import { guardApply, noteApplied } from '../migrate/state.ts';
import type { SchemaSql } from './command-effects.ts';

/** Returns one draft for each source. Throws CliError for a name that cannot be that of a folder. */
export function draftMigrations(list: readonly SchemaSql[], request: MigrationRequest = {}): readonly MigrationDraft[] {
  const { name: given, down: written } = request;
  if (given !== undefined && !/^[\w.-]+$/.test(given)) {
    throw new CliError(`"${given}" cannot be the name of a migration; use letters, digits, "_", "-" and "."`);
  }
  const sources = [...new Set(list.map(({ source }) => source))];
  return sources.map((source) => {
    const own = list.filter((one) => one.source === source);
    const sql = own.map((one) => ended(one.sql)).join('\n');
    const marker = own.some(({ outside }) => outside) && !isWithoutTransaction(sql, false);
    const undo = undoSql(sql);
    const down = written ?? undo.sql;
    return {
      source,
      name: given ?? migrationName(sql),
      up: marker ? `-- joinery: no-transaction\n${sql}` : sql,
      down: ended(down),
      withoutUndo: written === undefined ? undo.missing : [],
    };
  });
}

/** Returns a statement list that ends with a semicolon and a new line. */
function ended(sql: string): string {
  const text = sql.trim();
  if (text === '') return '';
  // A comment at the end would hide the semicolon.
  return text.endsWith(';') ? `${text}\n` : `${text}${/--[^\n]*$/.test(text) ? '\n' : ''};\n`;
}

/** Returns the body of a bulk that runs the command `text` and records the migrations in its transaction. */
export function withRecords(text: string, migrations: readonly ProjectMigration[]): string {
  const { resource_version: version } = JSON.parse(text) as { readonly resource_version?: unknown };
  const guards = migrations.map((one) => JSON.stringify(guardApply(one.source, fileless(one), undefined)));
  const notes = migrations.map((one) => JSON.stringify(noteApplied(one.source, fileless(one))));
  const basedOn = version === undefined ? '' : `,"resource_version":${JSON.stringify(version)}`;
  return `{"type":"bulk"${basedOn},"args":[${[...guards, text, ...notes].join(',')}]}`;
}

/** Returns the part of the bulk's response that belongs to the command at `index`. */
export function withoutRecords({ status, body }: HttpResponse, index: number): HttpResponse {
  if (Array.isArray(body)) return { status, body: body[index] as unknown };
  if (!isJsonObject(body) || typeof body.path !== 'string') return { status, body };
  const own = `$.args[${index}]`;
  return { status, body: { ...body, path: body.path.startsWith(own) ? `$${body.path.slice(own.length)}` : '$' } };
}

export function fileless({ version, name }: ProjectMigration): Migration {
  return { version, name, up: undefined, down: undefined, folder: undefined };
}
