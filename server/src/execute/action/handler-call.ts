/** Calls the handler of an action, for a request, a join, or the worker of asynchronous actions. */
import { endToEndPairs } from '../../base/http-client/headers.ts';
import { type HttpCall, type HttpResponse, UpstreamError } from '../../base/http-client/http-client.ts';
import { isJsonObject, printJson } from '../../base/json-value.ts';
import { TemplateError } from '../../base/templates/transform.ts';
import type { ExecuteContext } from '../context/context.ts';
import type { OutputMismatch } from './check-output.ts';
import { forwardedHeaders } from './handler-headers.ts';
import { type HandlerCall, type HandlerRequest, handlerRequest, sessionVariables } from './handler-request.ts';
import { callFailed, type Exchange, outputMismatch, responseValue, transformFailed } from './handler-response.ts';
import type { CachedResponse, HandlerResponse } from './handler-state.ts';
import { transformedRequest } from './handler-transform.ts';

/** The dependencies of a call. */
export type HandlerTools = Pick<
  ExecuteContext,
  'httpClient' | 'handlers' | 'environment' | 'settings' | 'signal' | 'calls'
> &
  Pick<HttpCall, 'mayStart'>;

/**
 * Calls the handler with the timeout of the action. The signal of `tools` cancels the call. For a query, the response can
 * be that of an equal call of the same request, or a cached one. Throws a ServiceError if the handler is not reachable,
 * rejects the request, or does not respond with JSON.
 */
export async function callHandler(call: HandlerCall, tools: HandlerTools): Promise<HandlerResponse> {
  const { action } = call;
  if (action.type !== 'query') return (await exchangeWith(call, tools)).response;
  const { calls } = tools;
  if (calls === undefined) return cached(call, tools);
  // Session and headers are the same for all calls of a request.
  const key = `${action.name} ${canonical(call.inputs ?? call.input)}`;
  const known = calls.get(key);
  if (known !== undefined) return { ...(await known), headers: [] };
  const pending = cached(call, tools);
  calls.set(key, pending);
  return pending;
}

async function cached(call: HandlerCall, tools: HandlerTools): Promise<HandlerResponse> {
  const { action } = call;
  if (action.cache === undefined) return (await exchangeWith(call, tools)).response;
  const { cache } = tools.handlers;
  const key = cacheKey(call, tools);
  const known = cache.get(key);
  if (known !== undefined) return fromCache(known, call, tools);
  const { response, bytes } = await exchangeWith(call, tools);
  const headers = response.headers.filter(([name]) => action.returnedHeaders?.has(name.toLowerCase()));
  cache.add(key, { value: response.value, headers }, bytes, action.cache.ttlMs);
  // An invalid response is not cached.
  const mismatch: HandlerResponse['mismatch'] = (error) => {
    cache.delete(key);
    return response.mismatch(error);
  };
  return { ...response, mismatch };
}

function fromCache({ value, headers }: CachedResponse, call: HandlerCall, tools: HandlerTools): HandlerResponse {
  const mismatch = (error: OutputMismatch) => outputMismatch(exchangeOf(call, tools), error);
  return { value, headers, mismatch };
}

/**
 * Returns the cache key: action, role, input, the configured session variables and the forwarded headers. The role is
 * part of every key, because the handler receives it and may respond to roles differently.
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

/** Returns a text that does not depend on the order of the members. */
function canonical(value: unknown): string {
  if (!isJsonObject(value)) return printJson(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return printJson(members);
}

function exchangeOf(call: HandlerCall, { settings, environment }: HandlerTools): Exchange {
  const request = handlerRequest(call, settings, environment);
  return { path: `$.selectionSet.${call.action.name}`, request, response: undefined };
}

async function exchangeWith(
  call: HandlerCall,
  tools: HandlerTools,
): Promise<{ readonly response: HandlerResponse; readonly bytes: number }> {
  const { action } = call;
  const plain = exchangeOf(call, tools);
  const exchange = { ...plain, request: transformed(call, plain) };
  const response = await send(call, exchange.request, tools).catch((error: unknown) => {
    throw error instanceof UpstreamError ? callFailed(exchange, error) : error;
  });
  const value = responseValue(exchange, response, action.responseTransform);
  const mismatch = (error: OutputMismatch) => outputMismatch({ ...exchange, response }, error);
  return { response: { value, headers: endToEndPairs(response.headers), mismatch }, bytes: response.body.length };
}

function transformed({ action }: HandlerCall, exchange: Exchange): HandlerRequest {
  try {
    return transformedRequest(action, exchange.request);
  } catch (error) {
    throw error instanceof TemplateError ? transformFailed(exchange, 'request_transform', error) : error;
  }
}

/** Sends the request, after waiting for a slot if the action limits its concurrency. The timeout includes the wait. */
async function send({ action }: HandlerCall, request: HandlerRequest, tools: HandlerTools): Promise<HttpResponse> {
  const { httpClient, handlers, settings, signal, mayStart } = tools;
  const call = (timeoutMs: number) =>
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
  if (maxCalls === undefined) return call(timeoutMs);
  const started = performance.now();
  const release = await handlers.slotsOf(action).enter(maxCalls, timeoutMs, signal);
  try {
    return await call(Math.max(1, Math.ceil(timeoutMs - (performance.now() - started))));
  } finally {
    release();
  }
}
