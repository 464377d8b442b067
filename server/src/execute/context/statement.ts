/** Statements of plans, which are printed once for each plan, and bound and run for each request. */
import type { SourceName } from '@joinery/metadata/names';
import { ServiceError } from '../../base/errors.ts';
import { fromPostgres } from '../../postgres/sql/errors.ts';
import { type Bindings, bind, compile, type Sql, type Statement } from '../../postgres/sql/sql.ts';
import type { PrintSettings } from '../../print/printing.ts';
import type { ExecuteContext } from './context.ts';

/** Returns a function that prints the statement of a part of a plan, and caches it for the lifetime of the plan. */
export function createStatements<Part extends object>(
  print: (part: Part, settings: PrintSettings) => Sql,
): (part: Part, settings: PrintSettings) => Statement {
  const exact = new WeakMap<Part, Statement>();
  const stringified = new WeakMap<Part, Statement>();
  return (part, settings) => {
    const cache = settings.stringifyNumerics ? stringified : exact;
    const known = cache.get(part);
    if (known !== undefined) return known;
    const statement = compile(print(part, settings));
    cache.set(part, statement);
    return statement;
  };
}

/** Runs the statement and returns its rows. `path` is its path in the operation, for errors. Throws a ServiceError. */
export async function runStatement(
  statement: Statement,
  source: SourceName,
  context: ExecuteContext,
  inputs?: Bindings['inputs'],
  path = '$',
): Promise<readonly (readonly (string | null)[])[]> {
  const { text } = statement;
  try {
    const database = context.database(source);
    const values = bind(statement, bindings(context, inputs));
    const { signal, session, settings } = context;
    const options = { signal, maxLength: settings.maxResultBytes, role: session.role, reads: true };
    const result = await database.query({ text, values, name: database.prepared(text) }, options);
    return result.rows;
  } catch (error) {
    throw fromPostgres(error, { path, statement: text });
  }
}

/** Returns the values for the slots of a statement of the operation. */
export function bindings(
  { variables, session }: Pick<ExecuteContext, 'variables' | 'session'>,
  inputs?: Bindings['inputs'],
): Bindings {
  return { variables, session: session.variables, missing, ...(inputs && { inputs }) };
}

function missing(name: string): never {
  throw new ServiceError('not-found', `missing session variable: "${name}"`, { status: 400 });
}
