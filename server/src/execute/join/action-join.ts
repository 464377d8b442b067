/** Joins to actions: equal inputs are called once, a few calls at a time, or a batch of inputs in one call. */

import { ServiceError } from '../../base/errors.ts';
import { ExactNumber, printJson } from '../../base/json-value.ts';
import type { InputNamed, TypeRef } from '../../model/types/action.ts';
import type { RemoteTemplate } from '../../model/types/table.ts';
import type { ActionTarget } from '../../plan/plan/query.ts';
import { checkOutput, type OnJoin, WrongAnswer } from '../action/check-output.ts';
import { callHandler } from '../action/handler-call.ts';
import { handlerInput } from '../action/handler-input.ts';
import type { ExecuteContext } from '../context/context.ts';
import { failed } from '../response/field-errors.ts';
import type { JoinKeyValue } from './keys.ts';

/** Calls of one join that are under way at a time. */
const CALLS_AT_ONCE = 10;

type Input = Readonly<Record<string, unknown>>;

/**
 * For each of `keys`, in their order, the answer of the action, or `Flawed` where its call failed. `onJoin` is told of
 * every place in the answers that a join fills.
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
  await atMost(CALLS_AT_ONCE, batches(entries, target.batch ?? 1), async (batch) => {
    const answers = await callBatch(
      target,
      batch.map(({ input }) => input),
      context,
      onJoin,
    );
    batch.forEach(({ at }, number) => {
      for (const index of at) values[index] = answers[number];
    });
  });
  return values;
}

/** The answers to `inputs`, in their order. */
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
    const answer = await callHandler(
      batch === undefined ? { ...call, input } : { ...call, input: {}, inputs },
      context,
    );
    const list: unknown = batch === undefined ? [answer.value] : answer.value;
    if (!Array.isArray(list) || list.length !== inputs.length) throw answer.misfit(wrongList(list, inputs.length));
    return list.map((value: unknown): unknown => {
      try {
        return checkOutput(output, value, onJoin);
      } catch (error) {
        return failed(error instanceof WrongAnswer ? answer.misfit(error) : error);
      }
    });
  } catch (error) {
    const flawed = failed(error);
    return inputs.map(() => flawed);
  }
}

function wrongList(value: unknown, expected: number): WrongAnswer {
  const found = Array.isArray(value) ? `a list of ${value.length}` : 'no list';
  return new WrongAnswer(
    `response: expected a list of ${expected}, one answer for each input in the same order, found ${found}`,
  );
}

/** What the join supplies for `key`, and what the client gave. */
function inputFor(
  { action, supplied, given, output }: ActionTarget,
  key: JoinKeyValue,
  context: ExecuteContext,
): Input {
  const made = Object.entries(supplied).map(([name, template]) => {
    const type = action.arguments.find((argument) => argument.name === name)?.type;
    return { name, value: { kind: 'constant' as const, value: fill(template, key, type) } };
  });
  return handlerInput({ action, input: [...made, ...given], output }, context.variables);
}

function fill(template: RemoteTemplate, key: JoinKeyValue, type: TypeRef<InputNamed> | undefined): unknown {
  const bare = type?.kind === 'nonNull' ? type.of : type;
  switch (template.kind) {
    case 'constant':
      return template.value;
    case 'key':
      return fitted(key[template.index] ?? null, bare);
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

/** Keys keep their JSON form but where the argument is text and the key a number. Throws for a number that is none. */
function fitted(value: unknown, type: TypeRef<InputNamed> | undefined): unknown {
  const bare = type?.kind === 'nonNull' ? type.of : type;
  if (Array.isArray(value)) {
    const item = bare?.kind === 'list' ? bare.of : bare;
    return value.map((one: unknown) => fitted(one, item));
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

/** Runs `work` for each of `items`, `most` at a time. */
async function atMost<Item>(most: number, items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values();
  const runner = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, runner));
}
