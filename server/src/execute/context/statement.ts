/** Statements of plans, which are printed once for each plan, and bound and run for each request. */
import type { SourceName } from '@joinery/metadata/names';
import { ServiceError } from '../../base/errors.ts';
import { fromPostgres } from '../../postgres/sql/errors.ts';
import { type Bindings, bind, compile, type Sql, type Statement } from '../../postgres/sql/sql.ts';
import { type Printing, type PrintSettings, startPrinting } from '../../print/printing.ts';
import type { Mergeable } from '../merge/mergeable.ts';
import type { ExecuteContext } from './context.ts';

/** A statement that reads. */
export interface ReadStatement extends Statement {
  /** Whether it may run twice: reading has no effects. */
  readonly isRepeatable: boolean;
}

/** Returns a function that prints the statement of a part of a plan, and caches it for the lifetime of the plan. */
export function createStatements<Part extends object>(
  print: (part: Part, settings: PrintSettings, printing: Printing) => Sql,
): (part: Part, settings: PrintSettings) => ReadStatement {
  const exact = new WeakMap<Part, ReadStatement>();
  const stringified = new WeakMap<Part, ReadStatement>();
  return (part, settings) => {
    const cache = settings.stringifyNumerics ? stringified : exact;
    const known = cache.get(part);
    if (known !== undefined) return known;
    const printing = startPrinting(settings);
    const printed = compile(print(part, settings, printing));
    const statement = { ...printed, isRepeatable: !printing.reads.isVolatile };
    cache.set(part, statement);
    return statement;
  };
}

/**
 * Runs the statement and returns its rows. `path` is its path in the operation, for errors. A `mergeable` statement may run
 * together with those of other requests. Throws a ServiceError.
 */
export async function runStatement(
  statement: ReadStatement,
  source: SourceName,
  context: ExecuteContext,
  inputs?: Bindings['inputs'],
  path = '$',
  mergeable?: Mergeable,
): Promise<readonly (readonly (string | null)[])[]> {
  const { text } = statement;
  try {
    const { signal, session, settings, merging, tracing } = context;
    const database = (tracing ?? context).database(source);
    const values = bind(statement, bindings(context, inputs));
    const options = {
      signal,
      maxLength: settings.maxResultBytes,
      role: session.role,
      reads: true,
      repeatable: statement.isRepeatable,
      span: tracing?.span,
      // Set in a copy for merged statements; see `contextOf`.
      sent: undefined,
    };
    if (mergeable !== undefined && merging !== undefined && !database.ofOneRequest) {
      return await merging.run({ mergeable, text, database, values, options });
    }
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
