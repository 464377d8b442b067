/** Calls the handler of an action once, whoever asks for it: a request, or a worker that runs the action later. */
import { OutboundError } from '../base/outbound.ts';
import type { WrongAnswer } from './check-output.ts';
import type { ExecuteContext } from './context.ts';
import { type Exchange, noAnswer, valueOfAnswer, wrongShape } from './handler-answer.ts';
import { type HandlerCall, handlerRequest } from './handler-request.ts';

/** What a call needs of its surroundings. */
export type HandlerTools = Pick<ExecuteContext, 'outbound' | 'environment' | 'settings' | 'signal'>;

export interface HandlerAnswer {
  /** JSON as the handler sent it; not yet checked against the output type. */
  readonly value: unknown;
  /** As they came. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The error for a value that `checkOutput` refuses; it shows the exchange to admins. */
  readonly misfit: (error: WrongAnswer) => Error;
}

/**
 * Sends `call` to its handler under the time limit of the action; a signal among `tools` ends it early. Throws a
 * ServiceError when the handler cannot be reached, refuses, or does not answer with JSON.
 */
export async function callHandler(call: HandlerCall, tools: HandlerTools): Promise<HandlerAnswer> {
  const { action } = call;
  const { outbound, environment, settings, signal } = tools;
  const request = handlerRequest(call, settings, environment);
  const exchange: Exchange = { path: `$.selectionSet.${action.name}`, request, answer: undefined };
  const answer = await outbound
    .call({
      method: 'POST',
      url: request.url,
      headers: request.headers,
      body: request.body,
      timeoutMs: action.timeoutMs,
      maxBytes: settings.maxActionResponseBytes,
      overflow: 'fail',
      signal,
    })
    .catch((error: unknown) => {
      throw error instanceof OutboundError ? noAnswer(exchange, error) : error;
    });
  return {
    value: valueOfAnswer(exchange, answer),
    headers: answer.headers,
    misfit: (error) => wrongShape({ ...exchange, answer }, error),
  };
}
