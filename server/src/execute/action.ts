/** Runs an action: one call of its handler, the answer checked and cut to what was asked, its joins announced. */
import { OutboundError } from '../base/outbound.ts';
import type { CallPlan } from '../plan/plan.ts';
import { checkOutput, type OnJoin, WrongAnswer } from './check-output.ts';
import type { ExecuteContext } from './context.ts';
import { type Exchange, noAnswer, valueOfAnswer, wrongShape } from './handler-answer.ts';
import { handlerRequest } from './handler-request.ts';

export interface ActionResult {
  /** A JSON value; what joins bring is put into it later. */
  readonly value: unknown;
  /** For the client: `set-cookie` of the handler of a mutation. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/**
 * Calls the handler of `call` under its time limit. `onJoin` is told of every place of the result that a join fills.
 * Throws a ServiceError when the handler cannot be reached, refuses, or answers with what does not fit the output type.
 */
export async function runAction(call: CallPlan, context: ExecuteContext, onJoin: OnJoin): Promise<ActionResult> {
  const { action } = call;
  const request = handlerRequest(call, context, context.settings, context.environment);
  const exchange: Exchange = { path: `$.selectionSet.${action.name}`, request, answer: undefined };
  const answer = await context.outbound
    .call({
      method: 'POST',
      url: request.url,
      headers: request.headers,
      body: request.body,
      timeoutMs: action.timeoutMs,
      maxBytes: context.settings.maxActionResponseBytes,
      overflow: 'fail',
      // A mutation that has begun is not given up half-way because its caller went away.
      signal: action.type === 'query' ? context.signal : undefined,
    })
    .catch((error: unknown) => {
      throw error instanceof OutboundError ? noAnswer(exchange, error) : error;
    });
  const raw = valueOfAnswer(exchange, answer);
  const headers = action.type === 'mutation' ? answer.headers.filter(isCookie) : [];
  try {
    return { value: checkOutput(call.output, raw, onJoin), headers };
  } catch (error) {
    throw error instanceof WrongAnswer ? wrongShape({ ...exchange, answer }, error) : error;
  }
}

function isCookie([name]: readonly [string, string]): boolean {
  return name.toLowerCase() === 'set-cookie';
}
