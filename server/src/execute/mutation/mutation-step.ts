/** One change of rows of one table. The response is read by the same statement, or by a second one if it reads the table. */
import type { Table } from '../../model/types/table.ts';
import type { MutationResponse } from '../../plan/plan/mutation.ts';
import { type Changing, printFirst, printSecond, printWhole, readsAgain } from '../../print/mutate/mutate.ts';
import type { Printing } from '../../print/printing.ts';
import { checkFailed, type Send, send, type Writer } from './mutation-statement.ts';

/** The result: the number of rows, and the JSON texts of `printWhole`. */
export interface Written {
  readonly affected: number;
  readonly texts: readonly (string | null)[];
}

export interface Step {
  /** Whether it is one statement that never has to be rolled back, and needs no transaction. */
  readonly alone: boolean;
  readonly run: (writer: Writer) => Promise<Written>;
}

export interface Change extends Pick<Send, 'of' | 'signature' | 'inputs' | 'variables' | 'path'> {
  readonly table: Table;
  readonly response: MutationResponse;
  /** Whether a row can fail a check. */
  readonly checked: boolean;
  readonly print: (printing: Printing) => Changing;
}

export function changeStep(change: Change): Step {
  const again = readsAgain(change.response, change.table);
  return {
    alone: !again && !change.checked,
    run: (writer) => (again ? runTwice(change, writer) : runOnce(change, writer)),
  };
}

async function runOnce(change: Change, writer: Writer): Promise<Written> {
  const { response, path } = change;
  const print = (printing: Printing) => printWhole(change.print(printing), response, printing);
  const [[affected, failed, ...texts] = []] = await send(
    { ...change, print, likely: [['0', '0', ...emptyTexts(response)]] },
    writer,
  );
  if (failed !== '0') throw checkFailed(path);
  return { affected: Number(affected), texts };
}

async function runTwice(change: Change, writer: Writer): Promise<Written> {
  const { table, response, path } = change;
  const print = (printing: Printing) => printFirst(change.print(printing), [], printing);
  const first = { ...change, print, signature: prefixed('first', change.signature), likely: [['f', null]] };
  const rows = await send(first, writer);
  if (rows.some(([failed]) => failed !== 'f')) throw checkFailed(path);
  const texts = await readResponse(
    change.of,
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
export function emptyTexts(response: MutationResponse): readonly (string | null)[] {
  if (response.shape === 'row') return [null];
  return response.members.flatMap(({ kind }) => (kind === 'returning' ? ['[]'] : []));
}
