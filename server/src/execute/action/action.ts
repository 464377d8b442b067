/** Runs an action of an operation: its handler is called, the answer checked and cut to what was asked, its joins announced. */
import type { Action } from '../../model/types/action.ts';
import type { CallPlan } from '../../plan/plan/action.ts';
import type { ExecuteContext } from '../context/context.ts';
import { checkOutput, type OnJoin, WrongAnswer } from './check-output.ts';
import { callHandler } from './handler-call.ts';
import { handlerInput } from './handler-input.ts';

export interface ActionResult {
  /** A JSON value; what joins bring is put into it later. */
  readonly value: unknown;
  /** For the client: `set-cookie` of the handler of a mutation, and what the action hands on. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/**
 * Calls the handler of `call`. `onJoin` is told of every place of the result that a join fills. Throws a ServiceError as
 * `callHandler` does, and when the answer does not fit the output type.
 */
export async function runAction(call: CallPlan, context: ExecuteContext, onJoin: OnJoin): Promise<ActionResult> {
  const { action } = call;
  const { session, headers, query } = context;
  const input = handlerInput(call, context.variables);
  // A mutation that has begun is not given up half-way because its caller went away.
  const tools = action.type === 'query' ? context : { ...context, signal: undefined };
  const answer = await callHandler({ action, input, session, headers, query }, tools);
  try {
    return {
      value: checkOutput(call.output, answer.value, onJoin),
      headers: answer.headers.filter(([name]) => isReturned(name.toLowerCase(), action)),
    };
  } catch (error) {
    throw error instanceof WrongAnswer ? answer.misfit(error) : error;
  }
}

/** Mutations log people in and out. */
function isReturned(name: string, { type, returnedHeaders }: Action): boolean {
  return (type === 'mutation' && name === 'set-cookie') || returnedHeaders?.has(name) === true;
}
