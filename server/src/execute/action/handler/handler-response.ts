/** Converts the response of a handler to a value, or to an error for the client. */
import { type ErrorCode, type ErrorDetails, ServiceError } from '../../../base/errors.ts';
import type { HttpResponse, UpstreamError } from '../../../base/http-client/http-client.ts';
import { isJsonObject, parseJson } from '../../../base/json-value.ts';
import { type ResponseTransform, TemplateError } from '../../../base/templates/transform.ts';
import { transformResponse } from '../../../base/templates/transform-response.ts';
import type { OutputMismatch } from '../check-output.ts';
import type { HandlerRequest } from './handler-request.ts';

/** A request with its response, which errors show to admins. */
export interface Exchange {
  /** The path of the action, such as `$.selectionSet.placeOrder`. */
  readonly path: string;
  readonly request: HandlerRequest;
  /** Undefined if there is no response. */
  readonly response: HttpResponse | undefined;
}

/** Returns the error for a call without a complete response before the timeout. */
export function callFailed(exchange: Exchange, error: UpstreamError): ServiceError {
  const internal = { type: 'http_exception', kind: error.kind, message: error.message };
  const message = `http exception when calling webhook: ${error.message}`;
  return failure(exchange, 'unexpected', message, internal, { cause: error });
}

/** Returns the error for a successful response that does not match the output type. */
export function outputMismatch(exchange: Exchange, error: OutputMismatch): ServiceError {
  const message = `the response of the handler does not match the output type of the action: ${error.message}`;
  return failure(exchange, 'unexpected', message, 'unexpected response', { cause: error });
}

/** Returns the error for a template that failed for the request or the response. */
export function transformFailed(
  exchange: Exchange,
  member: 'request_transform' | 'response_transform',
  error: TemplateError,
): ServiceError {
  const issues = error.issues.map(({ path, shown }) => ({ path: `$.definition.${member}${path}`, ...shown }));
  const message = member === 'request_transform' ? 'Request Transformation Failed' : 'Response Transformation Failed';
  return failure(exchange, 'unexpected', message, issues, { cause: error });
}

/** Returns the transformed value of a successful response. Throws a ServiceError for any other response. */
export function responseValue(
  exchange: Exchange,
  response: HttpResponse,
  transform: ResponseTransform | undefined,
): unknown {
  const seen = { ...exchange, response };
  const transformed = transform && transformedResponse(seen, response, transform);
  if (transformed?.isError) throw rejection(seen, transformed.value, response.status);
  const value = transformed === undefined ? decode(seen, response.body) : transformed.value;
  if (response.status >= 200 && response.status < 300) return value;
  if (response.status >= 400 && response.status < 500) throw rejection(seen, value, response.status);
  throw failure(seen, 'unexpected', 'internal error', `the handler responded with status ${response.status}`);
}

function transformedResponse(
  exchange: Exchange,
  { status, body }: HttpResponse,
  transform: ResponseTransform,
): ReturnType<typeof transformResponse> {
  const { plain, session } = exchange.request;
  try {
    return transformResponse(transform, { status, body, request: plain, session });
  } catch (error) {
    throw error instanceof TemplateError ? transformFailed(exchange, 'response_transform', error) : error;
  }
}

function decode(exchange: Exchange, body: string): unknown {
  try {
    return parseJson(body);
  } catch (cause) {
    const found = body === '' ? 'the body is empty' : cause instanceof Error ? cause.message : '';
    throw failure(exchange, 'unexpected', 'not a valid json response from webhook', found, { cause });
  }
}

/** Returns the error reported by the handler: `{ message, code?, extensions? }`. */
function rejection(exchange: Exchange, value: unknown, status: number): ServiceError {
  const { message, code, extensions } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof message !== 'string') {
    const expected = `the handler responded with status ${status}, but its body has no "message"`;
    return failure(exchange, 'parse-failed', expected, 'an error response is { "message", "code"?, "extensions"? }');
  }
  return failure({ ...exchange, path: '$' }, 'unexpected', message, 'the handler rejected the request', {
    status,
    ...(typeof code === 'string' && { foreignCode: code }),
    ...(isJsonObject(extensions) && { extensions }),
  });
}

function failure(
  { path, request, response }: Exchange,
  code: ErrorCode,
  message: string,
  error: unknown,
  details: ErrorDetails = {},
): ServiceError {
  const internal = { error, request: request.shown, response: response === undefined ? null : shownResponse(response) };
  return new ServiceError(code, message, { path, internal, ...details });
}

const MAX_SHOWN = 10_000;

/** Returns a response as admins see it, without cookies and with a truncated body. */
export function shownResponse({ status, headers, body }: HttpResponse) {
  const shown = headers.map(([name, value]) => ({ name, value: /^set-cookie$/i.test(name) ? '***' : value }));
  return { status, body: shownBody(body), headers: shown };
}

/** Returns a short JSON body as JSON, and any other body as a truncated text. */
function shownBody(body: string): unknown {
  if (body.length > MAX_SHOWN) return `${body.slice(0, MAX_SHOWN)}...`;
  try {
    return parseJson(body);
  } catch {
    return body;
  }
}
