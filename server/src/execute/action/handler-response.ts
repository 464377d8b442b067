/** What a handler answered, or that it did not: the value of its body, or the error that the client gets. */
import { type ErrorCode, type ErrorDetails, ServiceError } from '../../base/errors.ts';
import type { HttpResponse, UpstreamError } from '../../base/http-client/http-client.ts';
import { parseJson } from '../../base/json-value.ts';
import { type ResponseTransform, TemplateError } from '../../base/templates/transform.ts';
import { transformResponse } from '../../base/templates/transform-response.ts';
import type { WrongAnswer } from './check-output.ts';
import type { HandlerRequest } from './handler-request.ts';

/** A call so far; errors show it to admins. */
export interface Exchange {
  /** GraphQL path of the action, such as `$.selectionSet.placeOrder`. */
  readonly path: string;
  readonly request: HandlerRequest;
  /** Undefined while there is none. */
  readonly answer: HttpResponse | undefined;
}

/** No answer, or none that was whole and in time. */
export function noAnswer(exchange: Exchange, error: UpstreamError): ServiceError {
  const internal = { type: 'http_exception', kind: error.kind, message: error.message };
  const message = `http exception when calling webhook: ${error.message}`;
  return failure(exchange, 'unexpected', message, internal, { cause: error });
}

/** A good answer whose value does not fit the type of the action. */
export function wrongShape(exchange: Exchange, error: WrongAnswer): ServiceError {
  const message = `the answer of the handler does not fit the output type of the action: ${error.message}`;
  return failure(exchange, 'unexpected', message, 'unexpected response', { cause: error });
}

/** A template could not be applied to the request, or to the answer. */
export function transformFailed(exchange: Exchange, member: string, error: TemplateError): ServiceError {
  const faults = error.issues.map(({ path, shown }) => ({ path: `$.definition.${member}${path}`, ...shown }));
  return failure(exchange, 'unexpected', 'Request/Response Transformation Failed', faults, { cause: error });
}

/** The value of a good answer, transformed. Throws the ServiceError that any other answer stands for. */
export function valueOfAnswer(
  exchange: Exchange,
  answer: HttpResponse,
  transform: ResponseTransform | undefined,
): unknown {
  const seen = { ...exchange, answer };
  const transformed = transform && transformedAnswer(seen, answer, transform);
  if (transformed?.refusal) throw refusal(seen, transformed.value, answer.status);
  const value = transformed === undefined ? decode(seen, answer.body) : transformed.value;
  if (answer.status >= 200 && answer.status < 300) return value;
  if (answer.status >= 400 && answer.status < 500) throw refusal(seen, value, answer.status);
  throw failure(seen, 'unexpected', 'internal error', `the handler answered with status ${answer.status}`);
}

function transformedAnswer(
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

/** What the handler itself wants the client to be told: `{ message, code?, extensions? }`. */
function refusal(exchange: Exchange, value: unknown, status: number): ServiceError {
  const { message, code, extensions } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof message !== 'string') {
    const expected = `the handler answered with status ${status}, but its body has no "message"`;
    return failure(exchange, 'parse-failed', expected, 'a refusal is { "message", "code"?, "extensions"? }');
  }
  return failure({ ...exchange, path: '$' }, 'unexpected', message, 'the handler refused the request', {
    status: 400,
    ...(typeof code === 'string' && { foreignCode: code }),
    ...(isObject(extensions) && { extensions }),
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function failure(
  { path, request, answer }: Exchange,
  code: ErrorCode,
  message: string,
  error: unknown,
  details: ErrorDetails = {},
): ServiceError {
  const internal = { error, request: request.shown, response: answer === undefined ? null : shownAnswer(answer) };
  return new ServiceError(code, message, { path, internal, ...details });
}

const LONGEST_SHOWN = 10_000;

function shownAnswer({ status, headers, body }: HttpResponse): Readonly<Record<string, unknown>> {
  const shown = headers.map(([name, value]) => ({ name, value: /^set-cookie$/i.test(name) ? '***' : value }));
  return { status, body: shownBody(body), headers: shown };
}

/** JSON as JSON where it is short. */
function shownBody(body: string): unknown {
  if (body.length > LONGEST_SHOWN) return `${body.slice(0, LONGEST_SHOWN)}...`;
  try {
    return parseJson(body);
  } catch {
    return body;
  }
}
