/** Joins to actions: one call for each distinct input, or for each batch of inputs, with limited concurrency. */

import { ServiceError } from '../../base/errors.ts';
import { ExactNumber, printJson } from '../../base/json-value.ts';
import type { InputNamed, TypeRef } from '../../model/types/action.ts';
import type { RemoteTemplate } from '../../model/types/table.ts';
import type { ActionTarget } from '../../plan/plan/query.ts';
import { checkOutput, type OnJoin, OutputMismatch } from '../action/check-output.ts';
import { callHandler } from '../action/handler-call.ts';
import { handlerInput } from '../action/handler-input.ts';
import type { ExecuteContext } from '../context/context.ts';
import { failed } from '../response/field-errors.ts';
import type { JoinKeyValue } from './keys.ts';

/** Maximum number of concurrent calls of one join. */
const MAX_CONCURRENT_CALLS = 10;

type Input = Readonly<Record<string, unknown>>;

/**
 * Returns the result of the action for each of `keys`, in order, or a `PartialResult` if the call failed. `onJoin` is
 * called for each joined field in the results.
 */
export async function fetchActionJoin(
  target: ActionTarget,
  keys: readonly JoinKeyValue[],
  context: ExecuteContext,
  onJoin: OnJoin,
): Promise<readonly unknown[]> {
  const inputs = new Map<string, { readonly input: Input; readonly at: number[] }>();
  const values = new Array<unknown>(keys.length).fill(null);
  keys.forEach((key, index) => {
    try {
      const input = inputFor(target, key, context);
      const name = printJson(input);
      const known = inputs.get(name);
      if (known === undefined) inputs.set(name, { input, at: [index] });
      else known.at.push(index);
    } catch (error) {
      values[index] = failed(error);
    }
  });
  const entries = [...inputs.values()];
  await runConcurrently(MAX_CONCURRENT_CALLS, batches(entries, target.batch ?? 1), async (batch) => {
    const results = await callBatch(
      target,
      batch.map(({ input }) => input),
      context,
      onJoin,
    );
    batch.forEach(({ at }, number) => {
      for (const index of at) values[index] = results[number];
    });
  });
  return values;
}

/** Returns the results for `inputs`, in order. */
async function callBatch(
  { action, output, batch }: ActionTarget,
  inputs: readonly Input[],
  context: ExecuteContext,
  onJoin: OnJoin,
): Promise<readonly unknown[]> {
  const { session, headers, query } = context;
  const call = { action, session, headers, query };
  try {
    const [input = {}] = inputs;
    const response = await callHandler(
      batch === undefined ? { ...call, input } : { ...call, input: {}, inputs },
      context,
    );
    const list: unknown = batch === undefined ? [response.value] : response.value;
    if (!Array.isArray(list) || list.length !== inputs.length) throw response.mismatch(wrongList(list, inputs.length));
    return list.map((value: unknown): unknown => {
      try {
        return checkOutput(output, value, onJoin);
      } catch (error) {
        return failed(error instanceof OutputMismatch ? response.mismatch(error) : error);
      }
    });
  } catch (error) {
    const result = failed(error);
    return inputs.map(() => result);
  }
}

function wrongList(value: unknown, expected: number): OutputMismatch {
  const found = Array.isArray(value) ? `a list of ${value.length}` : 'no list';
  return new OutputMismatch(
    `response: expected a list of ${expected}, one result for each input in the same order, found ${found}`,
  );
}

/** Returns the input for `key`: arguments supplied by the join, and arguments given by the client. */
function inputFor(
  { action, supplied, given, output }: ActionTarget,
  key: JoinKeyValue,
  context: ExecuteContext,
): Input {
  const built = Object.entries(supplied).map(([name, template]) => {
    const type = action.arguments.find((argument) => argument.name === name)?.type;
    return { name, value: { kind: 'constant' as const, value: fill(template, key, type) } };
  });
  return handlerInput({ action, input: [...built, ...given], output }, context.variables);
}

function fill(template: RemoteTemplate, key: JoinKeyValue, type: TypeRef<InputNamed> | undefined): unknown {
  const bare = type?.kind === 'nonNull' ? type.of : type;
  switch (template.kind) {
    case 'constant':
      return template.value;
    case 'key':
      return keyFor(key[template.index] ?? null, bare);
    case 'list': {
      const item = bare?.kind === 'list' ? bare.of : bare;
      return template.items.map((one) => fill(one, key, item));
    }
    case 'object': {
      const fields = bare?.kind === 'named' && bare.type.kind === 'input' ? bare.type.fields : undefined;
      const members = Object.entries(template.fields);
      return Object.fromEntries(members.map(([name, one]) => [name, fill(one, key, fields?.get(name)?.type)]));
    }
    default:
      return template satisfies never;
  }
}

/** Converts a numeric key for a text argument. Throws if the key of an `Int` argument is no 32-bit integer. */
function keyFor(value: unknown, type: TypeRef<InputNamed> | undefined): unknown {
  const bare = type?.kind === 'nonNull' ? type.of : type;
  if (Array.isArray(value)) {
    const item = bare?.kind === 'list' ? bare.of : bare;
    return value.map((one: unknown) => keyFor(one, item));
  }
  if (value === null || bare?.kind !== 'named') return value;
  const { name } = bare.type;
  if ((name === 'String' || name === 'ID') && typeof value === 'number') return String(value);
  if ((name === 'String' || name === 'ID') && value instanceof ExactNumber) return value.text;
  if (name === 'Int' && !(typeof value === 'number' && (value | 0) === value)) {
    throw new ServiceError('data-exception', `the key ${printJson(value)} does not fit an argument of type Int`);
  }
  return value;
}

function batches<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const made: Item[][] = [];
  for (let at = 0; at < items.length; at += size) made.push(items.slice(at, at + size));
  return made;
}

/** Runs `work` for each of `items`, at most `max` concurrently. */
async function runConcurrently<Item>(
  max: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const runner = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(max, items.length) }, runner));
}
