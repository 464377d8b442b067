/** One change of rows of one table. The response is read by the same statement, or by a second one if it reads the table. */
import type { Table } from '../../model/types/table.ts';
import type { MutationResponse } from '../../plan/plan/mutation.ts';
import {
  type Changing,
  type CheckEffect,
  printFirst,
  printRow,
  printSecond,
  printWhole,
  readsAgain,
} from '../../print/mutate/mutate.ts';
import type { Printing } from '../../print/printing.ts';
import { checkFailed, type Send, send, type Writer } from './mutation-statement.ts';

/** The result: the number of rows, and the JSON texts of `printWhole`. */
export interface Written {
  readonly affected: number;
  readonly texts: readonly (string | null)[];
}

export interface Step {
  /** Whether it is one statement, which needs no transaction: where a check fails, the statement fails. */
  readonly alone: boolean;
  readonly run: (writer: Writer) => Promise<Written>;
}

/** A change with any values. */
export interface Change extends Pick<Send, 'of' | 'signature' | 'path'> {
  readonly table: Table;
  readonly response: MutationResponse;
  /** Whether a row can fail a check. */
  readonly checked: boolean;
  /** Whether it changes one row at most; see `hasUniqueKeys`. */
  readonly single: boolean;
  readonly print: (printing: Printing) => Changing;
}

type Values = Pick<Send, 'inputs' | 'variables'>;

/** Returns the step of the change for given values. What depends on the plan only is determined once. */
export function prepareChange(change: Change): (inputs: Values['inputs'], variables?: Values['variables']) => Step {
  const { table, response } = change;
  const again = readsAgain(response, table);
  const statement = again ? undefined : { counts: statementOf(change, 'counts'), fails: statementOf(change, 'fails') };
  return (inputs, variables) => ({
    alone: !again,
    run: (writer) => {
      const values = { inputs, variables };
      if (statement === undefined) return runTwice(change, values, writer);
      return runOnce(change, change.checked && writer.commits ? statement.fails : statement.counts, values, writer);
    },
  });
}

type Prepared = Pick<Send, 'of' | 'signature' | 'path' | 'print' | 'likely'>;

function statementOf({ of, signature, path, response, single, print }: Change, effect: CheckEffect): Prepared {
  const own = effect === 'counts' ? signature : prefixed('fails', signature);
  if (single && response.shape === 'row') {
    const { rows } = response;
    const printed = (printing: Printing) => printRow(print(printing), rows, printing, effect);
    return { of, signature: own, path, print: printed, likely: [[null, '0']] };
  }
  const printed = (printing: Printing) => printWhole(print(printing), response, printing, effect);
  return { of, signature: own, path, print: printed, likely: [['0', '0', ...emptyTexts(response)]] };
}

async function runOnce(
  { path, response, single }: Change,
  { of, signature, print, likely }: Prepared,
  { inputs, variables }: Values,
  writer: Writer,
): Promise<Written> {
  const rows = await send({ of, signature, print, likely, path, inputs, variables }, writer);
  if (single && response.shape === 'row') {
    // Several where the table has children since its columns were read.
    if (rows.some(([, failed]) => failed !== '0')) throw checkFailed(path);
    return { affected: rows.length, texts: [rows[0]?.[0] ?? null] };
  }
  const [[affected, failed, ...texts] = []] = rows;
  if (failed !== '0') throw checkFailed(path);
  return { affected: Number(affected), texts };
}

async function runTwice(change: Change, values: Values, writer: Writer): Promise<Written> {
  const { table, response, path } = change;
  const print = (printing: Printing) => printFirst(change.print(printing), [], printing);
  const { of } = change;
  const signature = prefixed('first', change.signature);
  const first: Send = { of, path, ...values, print, signature, likely: [['f', null]] };
  const rows = await send(first, writer);
  if (rows.some(([failed]) => failed !== 'f')) throw checkFailed(path);
  const texts = await readResponse(
    of,
    table,
    response,
    rows.map(([, whole]) => whole ?? null),
    writer,
    path,
  );
  return { affected: rows.length, texts };
}

function prefixed(prefix: string, signature: string | undefined): string | undefined {
  return signature === undefined ? undefined : `${prefix}:${signature}`;
}

/** Returns the JSON texts of the response for rows in composite text form. */
export async function readResponse(
  of: object,
  table: Table,
  response: MutationResponse,
  rows: readonly (string | null)[],
  writer: Writer,
  path: string,
): Promise<readonly (string | null)[]> {
  if (rows.length === 0) return emptyTexts(response);
  if (response.shape === 'response' && !response.members.some(({ kind }) => kind === 'returning')) return [];
  const print = (printing: Printing) => printSecond(table, response, printing);
  const likely = [emptyTexts(response)];
  const [texts = []] = await send({ of, signature: 'second', print, inputs: { rows }, likely, path }, writer);
  return texts;
}

/** Returns the result of `printWhole` for no rows. */
function emptyTexts(response: MutationResponse): readonly (string | null)[] {
  if (response.shape === 'row') return [null];
  return response.members.flatMap(({ kind }) => (kind === 'returning' ? ['[]'] : []));
}

/** Returns the step of a change without rows. */
export function nothing(response: MutationResponse): Step {
  return { alone: true, run: () => Promise.resolve({ affected: 0, texts: emptyTexts(response) }) };
}
