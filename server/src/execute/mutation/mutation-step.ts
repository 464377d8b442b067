/** One change of rows of one table, answered in the same statement or, where it must see itself, in a second one. */
import type { Table } from '../../model/types/table.ts';
import type { MutationResponse } from '../../plan/plan/mutation.ts';
import { type Changing, printFirst, printSecond, printWhole, readsAgain } from '../../print/mutate/mutate.ts';
import type { Printing } from '../../print/printing.ts';
import { checkFailed, type Send, send, type Writer } from './mutation-statement.ts';

/** What came of it: the number of rows, and the JSON texts of `printWhole`. */
export interface Written {
  readonly affected: number;
  readonly texts: readonly (string | null)[];
}

/** A part of a mutation, ready to run. */
export interface Step {
  /** Is it one statement that needs no undoing? Then it needs no transaction. */
  readonly alone: boolean;
  readonly run: (writer: Writer) => Promise<Written>;
}

export interface Change extends Pick<Send, 'of' | 'signature' | 'inputs' | 'variables' | 'path'> {
  readonly table: Table;
  readonly response: MutationResponse;
  /** May a row fail a check? */
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
    { ...change, print, likely: [['0', '0', ...textsOfNothing(response)]] },
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

/** The JSON texts of the answer for rows given as composite texts. */
export async function readResponse(
  of: object,
  table: Table,
  response: MutationResponse,
  rows: readonly (string | null)[],
  writer: Writer,
  path: string,
): Promise<readonly (string | null)[]> {
  if (rows.length === 0) return textsOfNothing(response);
  if (response.shape === 'response' && !response.members.some(({ kind }) => kind === 'returning')) return [];
  const print = (printing: Printing) => printSecond(table, response, printing);
  const likely = [textsOfNothing(response)];
  const [texts = []] = await send({ of, signature: 'second', print, inputs: { rows }, likely, path }, writer);
  return texts;
}

/** What `printWhole` would bring for no rows. */
export function textsOfNothing(response: MutationResponse): readonly (string | null)[] {
  if (response.shape === 'row') return [null];
  return response.members.flatMap(({ kind }) => (kind === 'returning' ? ['[]'] : []));
}
