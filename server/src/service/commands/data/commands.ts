/** `select`, `count`, `insert`, `update` and `delete` of the v1 API: run as GraphQL operations, under the caller's role. */
import { parseArguments } from '@joinery/metadata/commands/edit/arguments';
import { sourceArgument } from '@joinery/metadata/commands/edit/change';
import type { Metadata } from '@joinery/metadata/metadata';
import { ADMIN_ROLE, QualifiedTable, type RoleName, type SourceName } from '@joinery/metadata/names';
import { z } from 'zod';
import { Cancellation } from '../../../base/cancellation.ts';
import { ServiceError, toServiceError } from '../../../base/errors.ts';
import { RawJson } from '../../../base/json-value.ts';
import { createHandlerState } from '../../../execute/action/handler-state.ts';
import type { Model } from '../../../model/model.ts';
import { typeName } from '../../../model/names/source-names.ts';
import type { Source, Table } from '../../../model/types/table.ts';
import { relationKey } from '../../../postgres/catalog/catalog-types.ts';
import type { Database } from '../../../postgres/client/pool.ts';
import { runOperation } from '../../graphql/run-operation.ts';
import { convertEditErrors } from '../../metadata/apply-edit.ts';
import type { CommandApi, CommandContext, Progress, ServiceCommand, Tools } from '../../metadata/command-context.ts';
import type { UnitOfWork } from '../../metadata/unit-of-work.ts';
import {
  type DataDocument,
  type DocumentWriter,
  documentWriter,
  fieldOf,
  type Members,
  writeRow,
  writeWhere,
} from './document.ts';

const Row = z.record(z.string(), z.unknown());
const target = { source: sourceArgument, table: QualifiedTable };
const columns = z.array(z.unknown());
const page = {
  where: Row.optional(),
  order_by: z.unknown().optional(),
  limit: z.int().min(0).nullish(),
  offset: z.int().min(0).nullish(),
};

const Select = z.strictObject({ ...target, ...page, columns });
const Count = z.strictObject({ ...target, ...page, distinct: z.array(z.string()).nullish() });
const Insert = z.strictObject({
  ...target,
  objects: z.array(Row),
  returning: columns.nullish(),
  on_conflict: z
    .strictObject({
      action: z.enum(['ignore', 'update']),
      constraint: z.string(),
      update_columns: z.array(z.string()).optional(),
    })
    .nullish(),
});
const Update = z.strictObject({
  ...target,
  where: Row,
  $set: Row.optional(),
  $inc: Row.optional(),
  returning: columns.nullish(),
});
const Delete = z.strictObject({ ...target, where: Row, returning: columns.nullish() });

const apis: ReadonlySet<CommandApi> = new Set(['v1', 'query']);

/** `write` returns the operation of the command, `pick` its response from the JSON text of the root field. */
function dataCommand<Args extends { readonly source: SourceName; readonly table: QualifiedTable }>(
  schema: z.ZodType<Args>,
  write: (args: Args, writer: DocumentWriter, table: Table, role: RoleName) => DataDocument,
  pick: (text: string) => string = (text) => text,
): ServiceCommand<RawJson> {
  return {
    apis,
    forEveryRole: () => true,
    changes: () => false,
    run: async ({ args: input }, progress, context) => {
      const { role } = context.session;
      const read = (): { readonly document: DataDocument; readonly table: Table } => {
        const args = convertEditErrors(() => parseArguments(schema, input));
        const table = tableNamed(args, progress, context);
        return { document: write(args, documentWriter(role), table, role), table };
      };
      return { progress, result: new RawJson(pick(await runCommand(read, progress, context))) };
    },
  };
}

const select = dataCommand(Select, (args, writer, table) => {
  const given = writer.list(table, args, '$.args');
  return writer.document('query', table.roots.select, given, writer.selection(table, args.columns, '$.args.columns'));
});

const count = dataCommand(
  Count,
  (args, writer, table, role) => {
    const given = writer.list(table, args, '$.args');
    const distinct = (args.distinct ?? []).map((name, index) =>
      fieldOf(table, name, role, `$.args.distinct[${index}]`),
    );
    const counted = distinct.length === 0 ? 'count' : `count(columns: [${distinct.join(', ')}], distinct: true)`;
    return writer.document('query', table.roots.select_aggregate, given, `{ aggregate { ${counted} } }`);
  },
  (result) => result.slice('{"aggregate":'.length, -1),
);

const insert = dataCommand(Insert, ({ objects, on_conflict, returning }, writer, table) => {
  const rows = objects.map((row) => writeRow(table, row));
  const given = [
    ...writer.argument('objects', `[${typeName(table, '_insert_input')}!]!`, rows),
    ...writer.argument('on_conflict', typeName(table, '_on_conflict'), on_conflict && conflictOf(on_conflict, rows)),
  ];
  return writer.document('mutation', table.mutationRoots.insert, given, written(writer, table, returning));
});

/** `update` without columns updates all given ones. */
function conflictOf(conflict: NonNullable<z.infer<typeof Insert>['on_conflict']>, rows: readonly Members[]): Members {
  const { action, constraint, update_columns } = conflict;
  const given = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return { constraint, update_columns: action === 'ignore' ? [] : (update_columns ?? given) };
}

const update = dataCommand(Update, ({ where, $set, $inc, returning }, writer, table) => {
  const given = [
    ...writer.argument('where', `${typeName(table, '_bool_exp')}!`, writeWhere(table, where, '$.args.where')),
    ...writer.argument('_set', typeName(table, '_set_input'), $set && writeRow(table, $set)),
    ...writer.argument('_inc', typeName(table, '_inc_input'), $inc && writeRow(table, $inc)),
  ];
  return writer.document('mutation', table.mutationRoots.update, given, written(writer, table, returning));
});

const remove = dataCommand(Delete, ({ where, returning }, writer, table) => {
  const type = `${typeName(table, '_bool_exp')}!`;
  const given = writer.argument('where', type, writeWhere(table, where, '$.args.where'));
  return writer.document('mutation', table.mutationRoots.delete, given, written(writer, table, returning));
});

function written(writer: DocumentWriter, table: Table, returning: readonly unknown[] | null | undefined): string {
  if (returning === null || returning === undefined) return '{ affected_rows }';
  return `{ affected_rows returning ${writer.selection(table, returning, '$.args.returning')} }`;
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
  const outcome = await runOperation(
    () => {
      const { document, table } = read();
      model = modelOf(table, state.model);
      return { ...document, operationName: undefined };
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
  // The path of the error refers to the operation, which the caller has not written.
  const { code, message, status, internal } = toServiceError(error);
  throw new ServiceError(code, message, { path: '$.args', status, internal, cause: error });
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
    query: async (run, options) => (await unit.query(database))(run, options),
    transaction: async (work) => work(await unit.query(database)),
    prepared: () => undefined,
  };
}

export const dataCommands = { select, count, insert, update, delete: remove };
