/** Calls the handler of an action once, and returns the request and the response as admins see them. */
import type { HandlerTest, ShownHeader } from '@joinery/metadata/api/action-test';
import { ServiceError } from '../../../base/errors.ts';
import { type HttpResponse, UpstreamError } from '../../../base/http-client/http-client.ts';
import { exchangeOf, type HandlerTools, sendRequest, transformed } from './handler-call.ts';
import type { HandlerCall, HandlerRequest } from './handler-request.ts';
import { callFailed, type Exchange, responseValue, shownResponse } from './handler-response.ts';

/** Uses neither the cache nor the slots of the action. Throws a ServiceError if the request cannot be built. */
export async function testHandler(
  call: HandlerCall,
  tools: Pick<HandlerTools, 'httpClient' | 'settings' | 'environment' | 'signal'>,
): Promise<HandlerTest> {
  const { action } = call;
  const exchange = transformed(action, exchangeOf(call, tools));
  const request = shownRequest(exchange.request);
  let response: HttpResponse;
  try {
    response = await sendRequest(action, exchange.request, tools, action.timeoutMs);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    return { request, response: null, error: shownError(callFailed(exchange, error)) };
  }
  const { durationMs: duration_ms } = response;
  return { request, response: { ...shownResponse(response), duration_ms }, ...outcome(exchange, response, call) };
}

function outcome(
  exchange: Exchange,
  response: HttpResponse,
  { action }: HandlerCall,
): Pick<HandlerTest, 'result' | 'error'> {
  try {
    return { result: responseValue(exchange, response, action.responseTransform) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { error: shownError(error) };
  }
}

function shownError({ code, message }: ServiceError): { readonly code: string; readonly message: string } {
  return { code, message };
}

/** A request as in the errors of actions. */
interface ShownRequest {
  readonly url: string;
  readonly headers: readonly ShownHeader[];
  readonly transformed_request?: Omit<HandlerTest['request'], 'body'> & { readonly body?: unknown };
}

function shownRequest({ method, shown }: HandlerRequest): HandlerTest['request'] {
  const {
    url,
    headers,
    transformed_request: sent,
    ...body
  } = shown as Readonly<Record<string, unknown>> & ShownRequest;
  return sent === undefined ? { method, url, headers, body } : { ...sent, body: sent.body ?? null };
}
