/** `select`, `count`, `insert`, `update` and `delete` of the v1 API: run as GraphQL operations, under the caller's role. */
import { CountRows, DeleteRows, InsertRows, SelectRows, UpdateRows } from '@joinery/metadata/api/sources/data';
import { parseArguments } from '@joinery/metadata/commands/edit/arguments';
import type { Metadata } from '@joinery/metadata/metadata';
import { ADMIN_ROLE, type QualifiedTable, type RoleName, type SourceName } from '@joinery/metadata/names';
import type { z } from 'zod';
import { Cancellation } from '../../../base/cancellation.ts';
import { ServiceError, toServiceError } from '../../../base/errors.ts';
import { RawJson } from '../../../base/json-value.ts';
import { createHandlerState } from '../../../execute/action/handler/handler-state.ts';
import type { Model } from '../../../model/model.ts';
import { typeName } from '../../../model/names/source-names.ts';
import { selectAccess } from '../../../model/permissions/access.ts';
import { deleteAccess, insertAccess, updateAccess } from '../../../model/permissions/write-access.ts';
import { betweenColumns } from '../../../model/predicate/predicate.ts';
import type { Source } from '../../../model/types/source.ts';
import type { Table } from '../../../model/types/table.ts';
import { relationKey } from '../../../postgres/catalog/catalog-types.ts';
import type { Database } from '../../../postgres/client/pool.ts';
import { setSettings } from '../../../postgres/client/transaction.ts';
import { runOperation } from '../../graphql/run-operation.ts';
import { convertEditErrors } from '../../metadata/apply-edit.ts';
import type { CommandApi, CommandContext, Progress, ServiceCommand, Tools } from '../../metadata/command-context.ts';
import type { UnitOfWork } from '../../metadata/unit-of-work.ts';
import { fieldOf, type Members, writeWhere } from './conditions.ts';
import { type DataDocument, type DocumentWriter, documentWriter } from './document.ts';
import { writeRow, writtenColumn } from './written-columns.ts';

const apis: ReadonlySet<CommandApi> = new Set(['v1', 'query']);

/**
 * `write` returns the operation of the command, `pick` its response from the JSON text of the root field. An error of
 * `pick` undoes the command.
 */
function dataCommand<Args extends { readonly source: SourceName; readonly table: QualifiedTable }>(
  schema: z.ZodType<Args>,
  write: (args: Args, writer: DocumentWriter, table: Table, role: RoleName) => DataDocument,
  pick: (text: string, args: Args | undefined) => string = (text) => text,
): ServiceCommand<RawJson> {
  return {
    apis,
    arguments: schema,
    forEveryRole: () => true,
    changes: () => false,
    run: async ({ args: input }, progress, context) => {
      const { role } = context.session;
      let parsed: Args | undefined;
      const read = (): { readonly document: DataDocument; readonly table: Table } => {
        const args = convertEditErrors(() => parseArguments(schema, input));
        parsed = args;
        const table = tableNamed(args, progress, context);
        const document = write(args, documentWriter(role), table, role);
        return { document: comparesColumns(args) ? { ...document, extended: true } : document, table };
      };
      const text = await runCommand(read, progress, context);
      return { progress, result: new RawJson(pick(text, parsed)) };
    },
  };
}

/** Whether a name in the arguments can be an operator that compares two columns. */
function comparesColumns(args: object): boolean {
  return columnOperator.test(JSON.stringify(args));
}

const columnOperator = new RegExp(
  `"(?:${[...Object.keys(betweenColumns), '_cneq'].map((name) => `[_$]${name.slice(1)}`).join('|')})"`,
);

const select = dataCommand(SelectRows, (args, writer, table, role) => {
  const given = writer.list(table, args, '$.args');
  const fields = writer.selection(table, args.columns, '$.args.columns');
  const document = writer.document('query', table.roots.select, given, fields);
  return { ...document, extended: !selectAccess(table, role)?.queryRoots.has('select') };
});

const count = dataCommand(
  CountRows,
  (args, writer, table, role) => {
    const access = selectAccess(table, role);
    if (access === undefined) throw denied(role, 'select from', '$.args');
    const given = writer.list(table, args, '$.args');
    const distinct = (args.distinct ?? []).map((name, index) =>
      fieldOf(table, name, role, `$.args.distinct[${index}]`),
    );
    const counted = distinct.length === 0 ? 'count' : `count(columns: [${distinct.join(', ')}], distinct: true)`;
    const document = writer.document('query', table.roots.select_aggregate, given, `{ aggregate { ${counted} } }`);
    return { ...document, extended: !access.queryRoots.has('select_aggregate') };
  },
  (result) => result.slice('{"aggregate":'.length, -1),
);

const insert = dataCommand(
  InsertRows,
  ({ objects, on_conflict, returning }, writer, table, role) => {
    if (objects.length === 0) {
      throw new ServiceError('unexpected-payload', 'objects should not be empty', { path: '$.args.objects' });
    }
    if (insertAccess(table, role) === undefined) throw denied(role, 'insert into', '$.args');
    checkReturning(table, role, returning);
    const rows = objects.map((row, index) => writeRow(table, row, 'insert', role, `$.args.objects[${index}]`));
    const conflict = on_conflict && conflictOf(on_conflict, objects, table, role);
    const given = [
      ...writer.argument('objects', `[${typeName(table, '_insert_input')}!]!`, rows),
      ...writer.argument('on_conflict', typeName(table, '_on_conflict'), conflict),
    ];
    return {
      ...writer.document('mutation', table.mutationRoots.insert, given, written(writer, table, returning)),
      extended: isPresent(conflict) && !isPresent(conflict.constraint),
    };
  },
  withEmptyRows,
);

/** `update` without columns updates all given ones. */
function conflictOf(
  conflict: NonNullable<InsertRows['on_conflict']>,
  rows: readonly Members[],
  table: Table,
  role: RoleName,
): Members {
  const { action, constraint, constraint_on, update_columns } = conflict;
  const path = '$.args.on_conflict';
  if (updateAccess(table, role) === undefined) throw denied(role, 'update', path);
  if (isPresent(constraint) && isPresent(constraint_on)) {
    const message = 'give either "constraint" or "constraint_on"';
    throw new ServiceError('unexpected-payload', message, { path });
  }
  if (action === 'update' && !isPresent(constraint) && !isPresent(constraint_on)) {
    const message = 'the action "update" needs "constraint" or "constraint_on"';
    throw new ServiceError('unexpected-payload', message, { path });
  }
  const known = [table.primaryKeyName, ...table.uniqueKeys.map(({ name }) => name)];
  if (isPresent(constraint) && !known.includes(constraint)) {
    const message = `constraint "${constraint}" for table "${table.name}" does not exist`;
    throw new ServiceError('unexpected', message, { path: `${path}.constraint`, status: 400 });
  }
  const on = typeof constraint_on === 'string' ? [constraint_on] : constraint_on;
  const unknown = on?.find((name) => !table.columnsByName.has(name));
  if (unknown !== undefined) {
    const message = `column "${unknown}" does not exist`;
    throw new ServiceError('not-exists', message, { path: `${path}.constraint_on` });
  }
  const given = update_columns ?? [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns = action === 'ignore' ? [] : given.map((name) => updatedColumn(table, name, role, path));
  return { ...(isPresent(constraint) && { constraint }), ...(on && { constraint_on: on }), update_columns: columns };
}

/** The GraphQL name of a column that rows in conflict are updated in. */
function updatedColumn(table: Table, name: string, role: RoleName, path: string): string {
  const column = table.columnsByName.get(name);
  if (column === undefined) throw new ServiceError('not-exists', `column "${name}" does not exist`, { path });
  if (updateAccess(table, role)?.columns.has(column)) return column.field;
  throw new ServiceError('validation-failed', `column "${name}" is not updatable`, { path });
}

const update = dataCommand(
  UpdateRows,
  ({ where, $set, values, $inc, $mul, $default, returning }, writer, table, role) => {
    const changes = [$set, values, $inc, $mul, $default];
    if (!changes.some((one) => isPresent(one) && Object.keys(one).length > 0) && !hasPresets(table, role)) {
      throw new ServiceError('unexpected-payload', 'atleast one of $set, $inc, $mul has to be present', {
        path: '$.args',
      });
    }
    if (updateAccess(table, role) === undefined) throw denied(role, 'update', '$.args');
    if (selectAccess(table, role) === undefined) throw denied(role, 'select from', '$.args');
    const change = (name: string, row: Members | null | undefined): readonly string[] =>
      // An empty object is no change.
      isPresent(row) && Object.keys(row).length > 0
        ? writer.argument(`_${name}`, typeName(table, `_${name}_input`), rowOf(name, row))
        : [];
    const rowOf = (name: string, row: Members) =>
      writeRow(table, row, 'update', role, `$.args.${name === 'set' && !isPresent($set) ? 'values' : `$${name}`}`);
    const defaults = ($default ?? []).map((name, index) => [
      writtenColumn(table, name, 'update', role, `$.args.$default[${index}]`).name,
      true,
    ]);
    const given = [
      ...writer.argument('where', `${typeName(table, '_bool_exp')}!`, writeWhere(table, where, role, '$.args.where')),
      ...change('set', $set ?? values),
      ...change('inc', $inc),
      ...change('mul', $mul),
      ...change('default', Object.fromEntries(defaults)),
    ];
    return {
      ...writer.document('mutation', table.mutationRoots.update, given, written(writer, table, returning)),
      extended: isPresent($mul) || isPresent($default),
    };
  },
  expectedRows,
);

const remove = dataCommand(
  DeleteRows,
  ({ where, returning }, writer, table, role) => {
    if (deleteAccess(table, role) === undefined) throw denied(role, 'delete from', '$.args');
    if (selectAccess(table, role) === undefined) throw denied(role, 'select from', '$.args');
    const type = `${typeName(table, '_bool_exp')}!`;
    const given = writer.argument('where', type, writeWhere(table, where, role, '$.args.where'));
    return writer.document('mutation', table.mutationRoots.delete, given, written(writer, table, returning));
  },
  expectedRows,
);

function isPresent<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}

function hasPresets(table: Table, role: RoleName): boolean {
  return (updateAccess(table, role)?.presets.size ?? 0) > 0;
}

function denied(role: RoleName, action: string, path: string): ServiceError {
  const message = `role "${role}" does not have permission to ${action} the table`;
  return new ServiceError('permission-denied', message, { path });
}

function checkReturning(table: Table, role: RoleName, returning: readonly unknown[] | null | undefined): void {
  if (isPresent(returning) && selectAccess(table, role) === undefined) {
    throw denied(role, 'select from', '$.args.returning');
  }
}

/** The member selected for rows without columns: GraphQL selects at least one. */
const emptyRow = 'row__';

function written(writer: DocumentWriter, table: Table, returning: readonly unknown[] | null | undefined): string {
  if (returning === null || returning === undefined) return '{ affected_rows }';
  const rows =
    returning.length === 0 ? `{ ${emptyRow}: __typename }` : writer.selection(table, returning, '$.args.returning');
  return `{ affected_rows returning ${rows} }`;
}

/** Removes the members that `written` selects for an empty `returning`. */
function withEmptyRows(result: string): string {
  if (!result.includes(`,"returning":[{"${emptyRow}":`)) return result;
  const { affected_rows, returning } = JSON.parse(result) as {
    readonly affected_rows: number;
    readonly returning: readonly unknown[];
  };
  return JSON.stringify({ affected_rows, returning: returning.map(() => ({})) });
}

/** Throws `conflict` where the command has changed another number of rows than the caller expects. */
function expectedRows(
  result: string,
  args: { readonly expected_rows?: number | null | undefined } | undefined,
): string {
  const expected = args?.expected_rows;
  if (!isPresent(expected)) return withEmptyRows(result);
  const { affected_rows: count } = JSON.parse(result) as { readonly affected_rows: number };
  if (count === expected) return withEmptyRows(result);
  const message = `the condition selects ${count} rows instead of the expected ${expected}; nothing was changed`;
  throw new ServiceError('conflict', message, { path: '$.args.expected_rows' });
}

interface Target {
  readonly source: SourceName;
  readonly table: QualifiedTable;
}

function tableNamed({ source, table }: Target, { state }: Progress, { session }: CommandContext): Table {
  const { schema, name } = table;
  const found = state.model.sources.get(source)?.tables.get(relationKey(schema, name));
  if (found !== undefined && (session.role === ADMIN_ROLE || hasPermission(found, session.role))) return found;
  const label = schema === 'public' ? name : `${schema}.${name}`;
  throw new ServiceError('not-exists', `table "${label}" does not exist`, { path: '$.args.table' });
}

/** Whether the role has a permission for the table; without one the table must seem not to exist. */
function hasPermission({ selectAccess, insertAccess, updateAccess, deleteAccess }: Table, role: RoleName): boolean {
  return [selectAccess, insertAccess, updateAccess, deleteAccess].some((access) => access.has(role));
}

/** Data commands call no handlers of actions. */
const handlers = createHandlerState();

const singleSourceModels = new WeakMap<Source, Model>();
const extendedModels = new WeakMap<Model, Model>();

/** Returns the model whose schema has what only data commands can do. */
function extendedModel(model: Model): Model {
  const known = extendedModels.get(model);
  if (known !== undefined) return known;
  const made: Model = { ...model, forDataCommands: true };
  extendedModels.set(model, made);
  return made;
}

/** Returns the model; for a source with a namespace or a naming convention, that source alone with the names of the database. */
function modelOf(table: Table, model: Model): Model {
  const source = model.sources.get(table.source);
  if (source === undefined || (source.namespace === undefined && source.convention === undefined)) return model;
  const known = singleSourceModels.get(source);
  if (known !== undefined) return known;
  const { namespace: _namespace, convention: _convention, ...plain } = source;
  const made = { ...model, sources: new Map([[source.name, plain]]), actions: new Map(), remoteSchemas: new Map() };
  singleSourceModels.set(source, made);
  return made;
}

/** Runs the operation in the transaction of the change and returns the JSON text of its root field. */
async function runCommand(
  read: () => { readonly document: DataDocument; readonly table: Table },
  { state }: Progress,
  { session, tools, unit, signal, span, address, requestId }: CommandContext,
): Promise<string> {
  let model: Model | undefined;
  let places: DataDocument['places'] = new Map();
  const outcome = await runOperation(
    () => {
      const { document, table } = read();
      const { extended, places: written, ...operation } = document;
      places = written;
      const own = modelOf(table, state.model);
      model = extended === true ? extendedModel(own) : own;
      return { ...operation, operationName: undefined };
    },
    {
      session,
      headers: {},
      signal: signal ?? new Cancellation(),
      requestId,
      showInternal: false,
      address,
      queriesOnly: false,
      span,
    },
    {
      ...tools.operations,
      model: () => state.model,
      database: (name) => inUnit(databaseOf(name, state.metadata, tools), unit),
      httpClient: tools.httpClient,
      handlers,
      environment: tools.environment,
      observe: tools.observe,
    },
    { planningModel: () => model ?? state.model },
  );
  if (outcome.kind === 'subscribed') throw new Error('a data command started a subscription');
  const error = outcome.kind === 'failed' ? outcome.error : outcome.errors[0]?.error;
  if (outcome.kind === 'completed' && error === undefined) return outcome.body.slice('{"data":{"r":'.length, -2);
  if (outcome.kind === 'failed' && model === undefined) throw outcome.thrown;
  const { code, message, path, status, internal } = toServiceError(error);
  throw new ServiceError(code, message, { path: placeOf(path, places), status, internal, cause: error });
}

/** The path in the command of an error in a variable. Other paths refer to the operation, which the caller has not written. */
function placeOf(path: string, places: DataDocument['places']): string {
  const [, variable = '', below = ''] = /^\$\.variable(?:s|Values)\.(\w+)(.*)$/s.exec(path) ?? [];
  const place = places.get(variable);
  return place === undefined ? '$.args' : place + below;
}

function databaseOf(name: SourceName, { sources }: Metadata, tools: Tools): Database {
  const source = sources.find((one) => one.name === name);
  if (source === undefined) throw new ServiceError('not-exists', `source with name "${name}" does not exist`);
  return tools.sources.of(source);
}

/** Returns the database with the transaction of the change for all statements of an operation. */
function inUnit(database: Database, unit: UnitOfWork): Database {
  return {
    ...database,
    inTransaction: true,
    query: async (run, options) => (await unit.query(database))(run, options),
    transaction: async (work, options) => {
      const query = await unit.query(database);
      if (options?.settings !== undefined) await query({ text: setSettings(options.settings), values: [] });
      return work(query);
    },
    prepared: () => undefined,
  };
}

export const dataCommands = { select, count, insert, update, delete: remove };
