/** Joins to actions: one call for each distinct input, or for each batch of inputs, with limited concurrency. */

import { parseJson } from '../../base/json-value.ts';
import type { Action } from '../../model/types/action.ts';
import type { ActionTarget } from '../../plan/plan/query.ts';
import { OutputMismatch } from '../action/check-output.ts';
import { callHandler } from '../action/handler/handler-call.ts';
import type { HandlerCall } from '../action/handler/handler-request.ts';
import type { HandlerResponse } from '../action/handler/handler-state.ts';
import { Output, type OutputJoins } from '../action/output.ts';
import type { ExecuteContext } from '../context/context.ts';
import { failed } from '../response/field-errors.ts';
import { inputPrinter } from './action-inputs.ts';
import type { JoinKeyValue } from './keys.ts';

/** Maximum number of concurrent calls of one join. */
const MAX_CONCURRENT_CALLS = 10;

/** The keys with the same input. */
interface DistinctInput {
  /** The JSON text of the input. */
  readonly text: string;
  /** The indexes of the keys. */
  readonly at: number[];
}

/** The content of one call. Its input is parsed where a transform, a cache key or an error needs it. */
class JoinCall implements HandlerCall {
  readonly action: Action;
  readonly isBatch: boolean;
  readonly printed: string;
  readonly session: HandlerCall['session'];
  readonly headers: HandlerCall['headers'];
  readonly query: string;

  constructor({ action, batch }: ActionTarget, inputs: readonly DistinctInput[], context: ExecuteContext) {
    const texts = inputs.length === 1 ? (inputs[0]?.text ?? '') : inputs.map(({ text }) => text).join(',');
    this.action = action;
    this.isBatch = batch !== undefined;
    this.printed = this.isBatch ? `[${texts}]` : texts;
    this.session = context.session;
    this.headers = context.headers;
    this.query = context.query;
  }

  get input(): unknown {
    return parseJson(this.printed);
  }
}

/**
 * Returns the `Output` of the action for each of `keys`, in order, or a `PartialResult` if the call failed. Registers the
 * joined fields of the results in `joins`.
 */
export async function fetchActionJoin(
  target: ActionTarget,
  keys: readonly JoinKeyValue[],
  context: ExecuteContext,
  joins: OutputJoins,
): Promise<readonly unknown[]> {
  const values = new Array<unknown>(keys.length).fill(null);
  const calls = batches(distinctInputs(target, keys, context, values), target.batch ?? 1);
  const [first, second] = calls;
  const rest = calls.values();
  const run = async (): Promise<void> => {
    for (const inputs of rest) {
      try {
        const response = await callHandler(new JoinCall(target, inputs, context), context);
        placeResults(target, inputs, response, joins, values);
      } catch (error) {
        const result = failed(error);
        for (const { at } of inputs) for (const index of at) values[index] = result;
      }
    }
  };
  if (first === undefined) return values;
  if (second === undefined) await run();
  else await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT_CALLS, calls.length) }, run));
  return values;
}

/** Returns the distinct inputs in order of appearance. The value of a key without one is its error. */
function distinctInputs(
  target: ActionTarget,
  keys: readonly JoinKeyValue[],
  context: ExecuteContext,
  values: unknown[],
): readonly DistinctInput[] {
  const inputs = new Map<string, DistinctInput>();
  const print = inputPrinter(target, context.variables);
  for (const [index, key] of keys.entries()) {
    try {
      const text = print(key);
      const known = inputs.get(text);
      if (known === undefined) inputs.set(text, { text, at: [index] });
      else known.at.push(index);
    } catch (error) {
      values[index] = failed(error);
    }
  }
  return [...inputs.values()];
}

/** Sets the values of the keys of `inputs`. Throws if the response does not have a result for each input. */
function placeResults(
  { output, batch }: ActionTarget,
  inputs: readonly DistinctInput[],
  response: HandlerResponse,
  joins: OutputJoins,
  values: unknown[],
): void {
  const list: unknown = batch === undefined ? [response.value] : response.value;
  if (!Array.isArray(list) || list.length !== inputs.length) throw response.mismatch(wrongList(list, inputs.length));
  inputs.forEach(({ at }, number) => {
    let result: unknown;
    try {
      result = new Output(output, list[number], joins);
    } catch (error) {
      result = failed(error instanceof OutputMismatch ? response.mismatch(error) : error);
    }
    for (const index of at) values[index] = result;
  });
}

function wrongList(value: unknown, expected: number): OutputMismatch {
  const found = Array.isArray(value) ? `a list of ${value.length}` : 'no list';
  return new OutputMismatch(
    `response: expected a list of ${expected}, one result for each input in the same order, found ${found}`,
  );
}

function batches<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const made: Item[][] = [];
  for (let at = 0; at < items.length; at += size) made.push(items.slice(at, at + size));
  return made;
}
