/** Calls the handler of an action, whoever asks for it: a request, a join, or a worker that runs the action later. */
import { endToEndPairs } from '../../base/http-client/headers.ts';
import { type HttpCall, type HttpResponse, UpstreamError } from '../../base/http-client/http-client.ts';
import { printJson } from '../../base/json-value.ts';
import { TemplateError } from '../../base/templates/transform.ts';
import type { ExecuteContext } from '../context/context.ts';
import type { WrongAnswer } from './check-output.ts';
import { forwardedHeaders } from './handler-headers.ts';
import { type HandlerCall, type HandlerRequest, handlerRequest, sessionVariables } from './handler-request.ts';
import { type Exchange, noAnswer, transformFailed, valueOfAnswer, wrongShape } from './handler-response.ts';
import type { CachedResponse } from './handler-state.ts';
import { transformedRequest } from './handler-transform.ts';

/** What a call needs of its surroundings. */
export type HandlerTools = Pick<
  ExecuteContext,
  'httpClient' | 'handlers' | 'environment' | 'settings' | 'signal' | 'calls'
> &
  Pick<HttpCall, 'mayStart'>;

export interface HandlerAnswer {
  /** JSON as the handler sent it, transformed; not yet checked against the output type. */
  readonly value: unknown;
  /** As they came; none where another call of the request, which was equal, has them. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The error for a value that `checkOutput` refuses; it shows the exchange to admins. */
  readonly misfit: (error: WrongAnswer) => Error;
}

/**
 * The answer of the handler to `call`, under the time limit of the action; a signal among `tools` ends it early. Of a
 * query, it may be the answer to an equal call of the same request, or one that was kept. Throws a ServiceError when the
 * handler cannot be reached, refuses, or does not answer with JSON.
 */
export async function callHandler(call: HandlerCall, tools: HandlerTools): Promise<HandlerAnswer> {
  const { action } = call;
  if (action.type !== 'query') return (await exchangeWith(call, tools)).answer;
  const { calls } = tools;
  if (calls === undefined) return cached(call, tools);
  // Session and headers are those of the request, and so the same for all of its calls.
  const key = `${action.name} ${canonical(call.inputs ?? call.input)}`;
  const known = calls.get(key) as Promise<HandlerAnswer> | undefined;
  if (known !== undefined) return { ...(await known), headers: [] };
  const asked = cached(call, tools);
  calls.set(key, asked);
  return asked;
}

async function cached(call: HandlerCall, tools: HandlerTools): Promise<HandlerAnswer> {
  const { action } = call;
  if (action.cache === undefined) return (await exchangeWith(call, tools)).answer;
  const { cache } = tools.handlers;
  const key = cacheKey(call, tools);
  const kept = cache.get(key);
  if (kept !== undefined) return revived(kept, call, tools);
  const { answer, bytes } = await exchangeWith(call, tools);
  const headers = answer.headers.filter(([name]) => action.returnedHeaders?.has(name.toLowerCase()));
  cache.set(key, { value: answer.value, headers }, bytes, action.cache.ttlMs);
  // A wrong answer is not worth keeping.
  const misfit: HandlerAnswer['misfit'] = (error) => {
    cache.delete(key);
    return answer.misfit(error);
  };
  return { ...answer, misfit };
}

function revived({ value, headers }: CachedResponse, call: HandlerCall, tools: HandlerTools): HandlerAnswer {
  const misfit = (error: WrongAnswer) => wrongShape(exchangeOf(call, tools), error);
  return { value, headers, misfit };
}

/**
 * The key of equal requests: action, role, input, the configured session variables and the forwarded headers. The role
 * is part of every key, because the handler receives it and may answer roles differently.
 */
function cacheKey(
  { action, input, inputs, session, headers }: HandlerCall,
  { settings, handlers }: HandlerTools,
): string {
  const variables = sessionVariables(session, settings);
  const names = action.cache?.sessionVariables;
  const counted = names === undefined ? variables : names.map((name) => variables[name] ?? null);
  const passed = action.forwardClientHeaders ? forwardedHeaders(action, headers, settings) : [];
  return printJson([
    handlers.numberOf(action),
    session.role,
    canonical(inputs ?? input),
    canonical(counted),
    passed.map(({ name, value }) => [name, value]),
  ]);
}

/** Equal text for equal members, in whatever order they stand. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return printJson(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return printJson(members);
}

function exchangeOf(call: HandlerCall, { settings, environment }: HandlerTools): Exchange {
  const request = handlerRequest(call, settings, environment);
  return { path: `$.selectionSet.${call.action.name}`, request, answer: undefined };
}

async function exchangeWith(
  call: HandlerCall,
  tools: HandlerTools,
): Promise<{ readonly answer: HandlerAnswer; readonly bytes: number }> {
  const { action } = call;
  const plain = exchangeOf(call, tools);
  const exchange = { ...plain, request: transformed(call, plain) };
  const answer = await send(call, exchange.request, tools).catch((error: unknown) => {
    throw error instanceof UpstreamError ? noAnswer(exchange, error) : error;
  });
  const value = valueOfAnswer(exchange, answer, action.responseTransform);
  const misfit = (error: WrongAnswer) => wrongShape({ ...exchange, answer }, error);
  return { answer: { value, headers: endToEndPairs(answer.headers), misfit }, bytes: answer.body.length };
}

function transformed({ action }: HandlerCall, exchange: Exchange): HandlerRequest {
  try {
    return transformedRequest(action, exchange.request);
  } catch (error) {
    throw error instanceof TemplateError ? transformFailed(exchange, 'request_transform', error) : error;
  }
}

/** Waits for a place where the action has a limit; waiting and calling together take no longer than the action may. */
async function send({ action }: HandlerCall, request: HandlerRequest, tools: HandlerTools): Promise<HttpResponse> {
  const { httpClient, handlers, settings, signal, mayStart } = tools;
  const ask = (timeoutMs: number) =>
    httpClient.call({
      purpose: { kind: 'action', name: action.name },
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: request.body,
      timeoutMs,
      maxBytes: settings.maxActionResponseBytes,
      overflow: 'fail',
      signal,
      mayStart,
    });
  const { timeoutMs, maxCalls } = action;
  if (maxCalls === undefined) return ask(timeoutMs);
  const started = performance.now();
  const leave = await handlers.slotsOf(action).enter(maxCalls, timeoutMs, signal);
  try {
    return await ask(Math.max(1, Math.ceil(timeoutMs - (performance.now() - started))));
  } finally {
    leave();
  }
}
