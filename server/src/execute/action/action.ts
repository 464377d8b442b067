/** Executes an action: calls its handler, checks the response, selects the requested fields and registers joins. */
import type { Action } from '../../model/types/action.ts';
import type { CallPlan } from '../../plan/plan/action.ts';
import type { ExecuteContext } from '../context/context.ts';
import { OutputMismatch } from './check-output.ts';
import { callHandler } from './handler/handler-call.ts';
import { handlerInput } from './handler/handler-input.ts';
import { Output, type OutputJoins } from './output.ts';

export interface ActionResult {
  readonly output: Output;
  /** Headers for the client: `set-cookie` of a mutation, and the headers that the action returns. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/**
 * Calls the handler of `call` and registers the joined fields of the result in `joins`. Throws a ServiceError as
 * `callHandler` does, and if the response does not match the output type.
 */
export async function runAction(call: CallPlan, context: ExecuteContext, joins: OutputJoins): Promise<ActionResult> {
  const { action } = call;
  const { session, headers, query } = context;
  const input = handlerInput(call, context.variables);
  // A mutation is not canceled when its caller disconnects.
  const tools = action.type === 'query' ? context : { ...context, signal: undefined };
  const response = await callHandler({ action, input, session, headers, query }, tools);
  try {
    return {
      output: new Output(call.output, response.value, joins),
      headers: response.headers.filter(([name]) => isReturned(name.toLowerCase(), action)),
    };
  } catch (error) {
    throw error instanceof OutputMismatch ? response.mismatch(error) : error;
  }
}

/** Mutations return cookies, since they can log users in and out. */
function isReturned(name: string, { type, returnedHeaders }: Action): boolean {
  return (type === 'mutation' && name === 'set-cookie') || returnedHeaders?.has(name) === true;
}
