/** Calls the handler of an action, for a request, a join, or the worker of asynchronous actions. */
import { endToEndPairs } from '../../../base/http-client/headers.ts';
import { type HttpCall, type HttpResponse, UpstreamError } from '../../../base/http-client/http-client.ts';
import { isJsonObject, printJson } from '../../../base/json-value.ts';
import { TemplateError } from '../../../base/templates/transform.ts';
import type { Action } from '../../../model/types/action.ts';
import type { ExecuteContext } from '../../context/context.ts';
import type { OutputMismatch } from '../check-output.ts';
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
export function callHandler(call: HandlerCall, tools: HandlerTools): Promise<HandlerResponse> {
  const { action } = call;
  if (action.type !== 'query') return exchangeWith(call, tools);
  const { calls } = tools;
  if (calls === undefined) return throughCache(call, tools);
  // Session and headers are the same for all calls of a request.
  const key = `${action.name} ${nameOfInput(call)}`;
  const known = calls.get(key);
  if (known !== undefined) return known.then((response) => ({ ...response, headers: [] }));
  const pending = throughCache(call, tools);
  calls.set(key, pending);
  return pending;
}

function throughCache(call: HandlerCall, tools: HandlerTools): Promise<HandlerResponse> {
  const { cache } = call.action;
  return cache === undefined ? exchangeWith(call, tools) : cached(call, cache.ttlMs, tools);
}

async function cached(call: HandlerCall, ttlMs: number, tools: HandlerTools): Promise<HandlerResponse> {
  const { action } = call;
  const { cache } = tools.handlers;
  const key = cacheKey(call, tools);
  const known = cache.get(key);
  if (known !== undefined) return fromCache(known, call, tools);
  const response = await exchangeWith(call, tools);
  const headers = response.headers.filter(([name]) => action.returnedHeaders?.has(name.toLowerCase()));
  cache.add(key, { value: response.value, headers }, response.bytes, ttlMs);
  // An invalid response is not cached.
  const mismatch: HandlerResponse['mismatch'] = (error) => {
    cache.delete(key);
    return response.mismatch(error);
  };
  return { value: response.value, headers: response.headers, mismatch };
}

function fromCache({ value, headers }: CachedResponse, call: HandlerCall, tools: HandlerTools): HandlerResponse {
  const mismatch = (error: OutputMismatch) => outputMismatch(exchangeOf(call, tools), error);
  return { value, headers, mismatch };
}

/**
 * Returns the cache key: action, role, input, the configured session variables and the forwarded headers. The role is
 * part of every key, because the handler receives it and may respond to roles differently.
 */
function cacheKey({ action, input, session, headers }: HandlerCall, { settings, handlers }: HandlerTools): string {
  const variables = sessionVariables(session, settings);
  const names = action.cache?.sessionVariables;
  const counted = names === undefined ? variables : names.map((name) => variables[name] ?? null);
  const passed = action.forwardClientHeaders ? forwardedHeaders(action, headers, settings) : [];
  return printJson([
    handlers.numberOf(action),
    session.role,
    canonical(input),
    canonical(counted),
    passed.map(({ name, value }) => [name, value]),
  ]);
}

/** Returns a text that identifies the input. */
function nameOfInput(call: HandlerCall): string {
  const { printed } = call;
  if (printed !== undefined && call.isBatch === true) return printed;
  const { input } = call;
  return printed !== undefined && isJsonObject(input) && Object.keys(input).length < 2 ? printed : canonical(input);
}

/** Returns a text that does not depend on the order of the members. */
function canonical(value: unknown): string {
  if (!isJsonObject(value)) return printJson(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return printJson(members);
}

/** Returns the exchange before its request is transformed and sent. */
export function exchangeOf(
  call: HandlerCall,
  { settings, environment }: Pick<HandlerTools, 'settings' | 'environment'>,
): Exchange {
  const request = handlerRequest(call, settings, environment);
  return { path: `$.selectionSet.${call.action.name}`, request, response: undefined };
}

/** A response with the length of its body. */
interface ExchangedResponse extends HandlerResponse {
  readonly bytes: number;
}

/** Sends the request of the call. Throws a ServiceError without a complete response before the timeout. */
async function exchangeWith(call: HandlerCall, tools: HandlerTools): Promise<ExchangedResponse> {
  const { action } = call;
  const exchange = transformed(action, exchangeOf(call, tools));
  let response: HttpResponse;
  try {
    response = await sendInSlot(action, exchange.request, tools);
  } catch (error) {
    throw error instanceof UpstreamError ? callFailed(exchange, error) : error;
  }
  const value = responseValue(exchange, response, action.responseTransform);
  const mismatch = (error: OutputMismatch) => outputMismatch({ ...exchange, response }, error);
  // Only mutations return cookies.
  const isReturned = action.type === 'mutation' || action.returnedHeaders !== undefined;
  const headers = isReturned ? endToEndPairs(response.headers) : [];
  return { value, headers, mismatch, bytes: response.body.length };
}

/** Returns the exchange with the transformed request. */
export function transformed(action: Action, exchange: Exchange): Exchange {
  if (action.requestTransform === undefined) return exchange;
  try {
    return { ...exchange, request: transformedRequest(action, exchange.request) };
  } catch (error) {
    throw error instanceof TemplateError ? transformFailed(exchange, 'request_transform', error) : error;
  }
}

/** Sends the request, after waiting for a slot if the action limits its concurrency. The timeout includes the wait. */
function sendInSlot(action: Action, request: HandlerRequest, tools: HandlerTools): Promise<HttpResponse> {
  const call = (timeoutMs: number) => sendRequest(action, request, tools, timeoutMs);
  const { timeoutMs, maxCalls } = action;
  return maxCalls === undefined ? call(timeoutMs) : afterSlot(action, maxCalls, tools, call);
}

/** Sends a request without waiting for a slot. */
export function sendRequest(
  action: Action,
  request: HandlerRequest,
  { httpClient, settings, signal, mayStart }: Pick<HandlerTools, 'httpClient' | 'settings' | 'signal' | 'mayStart'>,
  timeoutMs: number,
): Promise<HttpResponse> {
  return httpClient.call({
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
}

async function afterSlot(
  action: Action,
  maxCalls: number,
  { handlers, signal }: HandlerTools,
  call: (timeoutMs: number) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const { timeoutMs } = action;
  const started = performance.now();
  const release = await handlers.slotsOf(action).enter(maxCalls, timeoutMs, signal);
  try {
    return await call(Math.max(1, Math.ceil(timeoutMs - (performance.now() - started))));
  } finally {
    release();
  }
}
