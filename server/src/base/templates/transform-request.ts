/** Applies a request transform to the request of a webhook. */
import { isJsonObject, memberPath, printJson } from '../json-value.ts';
import type { KritiInput } from './kriti/evaluate.ts';
import { evaluateTemplate } from './kriti/evaluate.ts';
import {
  formEncoded,
  IssueCollector,
  type RequestTransform,
  renderForm,
  renderText,
  resultError,
  type SessionVariables,
  templateInput,
} from './transform.ts';

/** A request before its transform. */
export interface PlainRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** A JSON value; undefined without a body. */
  readonly body: unknown;
}

export interface TransformedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined: the request has no body. */
  readonly body: string | undefined;
}

const FORM = 'application/x-www-form-urlencoded';

/** Returns the variables of request templates: `$body`, `$base_url`, `$query_params` as pairs, and `$session_variables`. */
export function requestVariables({ url, body }: PlainRequest): Readonly<Record<string, unknown>> {
  const query = URL.canParse(url) ? [...new URL(url).searchParams] : [];
  return { $body: body ?? null, $base_url: url, $query_params: query };
}

/**
 * Returns the request that is sent. Evaluates every template, so that the TemplateError names all that fail. Preserves the
 * case of header names. The last of several added headers with one name wins.
 */
export function transformRequest(
  transform: RequestTransform,
  request: PlainRequest,
  session: SessionVariables,
): TransformedRequest {
  const input = templateInput(requestVariables(request), session);
  const issues = new IssueCollector();
  const body = issues.collect('.body', () => bodyOf(transform, request, input));
  const url = issues.collect('.url', () => urlOf(transform, request, input));
  const query = issues.collect('.query_params', () => queryOf(transform, input));
  const added = transform.addHeaders.map(([name, template]) => {
    const path = memberPath('.request_headers.add_headers', name);
    return [name, issues.collect(path, () => headerValue(path, renderText(template, input))) ?? ''] as const;
  });
  issues.check();
  return {
    method: transform.method ?? request.method,
    url: query === undefined ? (url ?? request.url) : withQuery(url ?? request.url, query),
    headers: headersOf(transform, request, body?.type, added),
    body: body?.text,
  };
}

interface SentBody {
  readonly text: string | undefined;
  /** The content type; undefined without a body. */
  readonly type: string | undefined;
}

function bodyOf(transform: RequestTransform, request: PlainRequest, input: KritiInput): SentBody {
  const { body, contentType, method } = transform;
  switch (body?.kind) {
    case undefined: {
      const none = request.body === undefined || method === 'GET';
      return none ? { text: undefined, type: undefined } : printed(request.body, contentType);
    }
    case 'remove':
      return { text: undefined, type: undefined };
    case 'template':
      return printed(evaluateTemplate(body.template, input), contentType);
    case 'form':
      return { text: renderForm(body.fields, input), type: contentType ?? FORM };
    default:
      return body satisfies never;
  }
}

/** Prints the body: an object as a form if that is the content type, otherwise as JSON. */
function printed(value: unknown, contentType: string | undefined): SentBody {
  if (contentType !== FORM) return { text: printJson(value), type: contentType ?? 'application/json' };
  if (!isJsonObject(value)) {
    throw resultError('.body', 'with the content type of forms the body must be an object');
  }
  const fields = Object.entries(value).map(([name, member]): [string, string] => {
    return [name, typeof member === 'string' ? member : printJson(member)];
  });
  return { text: formEncoded(fields), type: FORM };
}

function urlOf({ url }: RequestTransform, request: PlainRequest, input: KritiInput): string {
  if (url === undefined) return URL.canParse(request.url) ? new URL(request.url).href : request.url;
  const text = renderText(url, input).trim();
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw resultError('.url', 'the result is not an http or https URL');
}

/** Returns the encoded query; undefined does not change the URL. Omits parameters with a name or value of null. */
function queryOf({ query }: RequestTransform, input: KritiInput): string | undefined {
  if (query === undefined) return undefined;
  if ('root' in query) return formEncoded(parseQuery(renderText(query, input)));
  const parameters = query.map(({ name, value }) => {
    return [renderText(name, input), value && renderText(value, input)] as const;
  });
  return formEncoded(parameters.filter(([name, value]) => name !== 'null' && value !== 'null'));
}

function parseQuery(text: string): [name: string, value: string | undefined][] {
  const pairs = text.replace(/^\?/, '').split('&');
  return pairs
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      return at < 0 ? [decode(pair), undefined] : [decode(pair.slice(0, at)), decode(pair.slice(at + 1))];
    });
}

/** Decodes percent-encoding. Preserves a percent sign that encodes nothing. */
function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

/** Returns the URL with another query. */
function withQuery(url: string, query: string): string {
  const [, before = url] = /^([^?#]*)/.exec(url) ?? [];
  return query === '' ? before : `${before}?${query}`;
}

function headerValue(path: string, value: string): string {
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw resultError(path, 'the result has characters that a header cannot contain');
  return value;
}

function headersOf(
  { removeHeaders, contentType }: RequestTransform,
  request: PlainRequest,
  type: string | undefined,
  added: readonly (readonly [string, string])[],
): (readonly [string, string])[] {
  const key = (name: string) => name.toLowerCase();
  const gone = new Set([...removeHeaders, ...added.map(([name]) => key(name))]);
  const known = request.headers.some(([name]) => key(name) === 'content-type');
  const kept = request.headers.filter(([name]) => !gone.has(key(name)));
  const typed = kept.flatMap(([name, value]): (readonly [string, string])[] => {
    if (key(name) !== 'content-type') return [[name, value]];
    if (type === undefined) return [];
    return [[name, type === 'application/json' && contentType === undefined ? value : type]];
  });
  const own = type !== undefined && !known && (contentType !== undefined || type === FORM) && !gone.has('content-type');
  return [...typed, ...(own ? [['Content-Type', type] as const] : []), ...added];
}
