/** Applies the request transform of an action, and returns the form of the request in errors. */
import { parseJson } from '../../../base/json-value.ts';
import type { RequestTransform } from '../../../base/templates/transform.ts';
import { transformRequest } from '../../../base/templates/transform-request.ts';
import type { Action } from '../../../model/types/action.ts';
import type { HandlerRequest } from './handler-request.ts';

/** Returns the transformed request. Throws a TemplateError. */
export function transformedRequest(action: Action, request: HandlerRequest): HandlerRequest {
  const transform = action.requestTransform;
  if (transform === undefined) return request;
  const { method, url, headers, body } = transformRequest(transform, request.plain, request.session);
  const transformed = {
    method,
    url: transform.url?.text ?? action.handler,
    headers: shownHeaders(transform, request, headers),
    ...(body !== undefined && { body: shownBody(transform, body) }),
  };
  const { plain, session, shown } = request;
  return { method, url, headers, body, plain, session, shown: { ...shown, transformed_request: transformed } };
}

/** Returns the headers for errors. Added headers show their template, since the value can contain secrets. */
function shownHeaders(
  { addHeaders }: RequestTransform,
  { shown }: HandlerRequest,
  headers: HandlerRequest['headers'],
): readonly { readonly name: string; readonly value: string }[] {
  const written = new Map(addHeaders.map(([name, template]) => [name.toLowerCase(), template.text]));
  const before = shown.headers as readonly { readonly name: string; readonly value: string }[];
  const known = new Map(before.map(({ name, value }) => [name.toLowerCase(), value]));
  return headers.map(([name, value]) => {
    const key = name.toLowerCase();
    const shownValue = key === 'content-type' ? value : known.get(key);
    return { name, value: written.get(key) ?? shownValue ?? '***' };
  });
}

/** Returns the body for errors, hidden if it contains the URL, which can contain secrets. */
function shownBody({ body }: RequestTransform, sent: string): unknown {
  const templates =
    body?.kind === 'template' ? [body.template] : body?.kind === 'form' ? body.fields.map(([, one]) => one) : [];
  if (templates.some(({ text }) => /\$(base_url|query_params)/.test(text))) return '***';
  try {
    return parseJson(sent);
  } catch {
    return sent;
  }
}
