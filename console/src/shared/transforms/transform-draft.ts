/** Drafts of request and response transforms. Pure. */
import type { ExportedMetadata } from '@joinery/metadata/document/exported-metadata';
import { type BodyTransform, RequestTransform, ResponseTransform } from '@joinery/metadata/schema/transforms';
import { jsonTextError } from '../../ui/form/beside-text/schema-errors.ts';
import type { Pair } from '../../ui/form/pair-fields.tsx';
import { sameJson } from '../../ui/form/same-draft.ts';

type Transformed = NonNullable<ExportedMetadata['actions']>[number]['definition'];
export type SavedRequest = NonNullable<Transformed['request_transform']>;
export type SavedResponse = NonNullable<Transformed['response_transform']>;

export interface BodyDraft {
  readonly kind: 'keep' | 'template' | 'form' | 'remove';
  readonly template: string;
  readonly form: readonly Pair[];
}

/** What the inputs cannot show. A change of an input removes it. */
interface WrittenAsJson<Saved> {
  /** A transform in a format that the inputs do not write, such as version 1. It is saved as it is. */
  readonly written?: Saved | undefined;
  /** JSON text that is no transform, with its error. */
  readonly unread?: { readonly text: string; readonly reason: string } | undefined;
}

export interface RequestDraft extends WrittenAsJson<SavedRequest> {
  /** Empty leaves it unchanged. */
  readonly method: string;
  readonly url: string;
  readonly query: 'keep' | 'pairs' | 'whole';
  readonly queryPairs: readonly Pair[];
  readonly queryText: string;
  readonly addHeaders: readonly Pair[];
  /** Names, separated by commas. */
  readonly removeHeaders: string;
  readonly contentType: '' | 'application/json' | 'application/x-www-form-urlencoded';
  readonly body: BodyDraft;
}

export interface ErrorDraft {
  readonly key: number;
  /** Such as `404` or `4xx, 500`. */
  readonly status: string;
  readonly template: string;
}

export interface ResponseDraft extends WrittenAsJson<SavedResponse> {
  readonly body: BodyDraft;
  readonly errors: readonly ErrorDraft[];
}

const previousBody: BodyDraft = { kind: 'keep', template: '{\n  "id": {{$body.input.id}}\n}', form: [] };

export const emptyRequest: RequestDraft = {
  method: '',
  url: '',
  query: 'keep',
  queryPairs: [],
  queryText: '',
  addHeaders: [],
  removeHeaders: '',
  contentType: '',
  body: previousBody,
};

export const emptyResponse: ResponseDraft = { body: { ...previousBody, template: '{{$body}}' }, errors: [] };

export function requestDraftOf(transform: SavedRequest): RequestDraft {
  const { method, url, query_params: query, request_headers: headers, content_type, body } = transform;
  const draft: RequestDraft = {
    method: method?.toUpperCase() ?? '',
    url: url ?? '',
    query: query === null || query === undefined ? 'keep' : typeof query === 'string' ? 'whole' : 'pairs',
    queryPairs: typeof query === 'object' ? pairsOf(query) : [],
    queryText: typeof query === 'string' ? query : '',
    addHeaders: pairsOf(headers?.add_headers),
    removeHeaders: (headers?.remove_headers ?? []).join(', '),
    contentType: content_type ?? '',
    body: bodyDraftOf(body, previousBody),
  };
  return sameJson(readRequest(draft), transform) ? draft : { ...draft, written: transform };
}

export function responseDraftOf(transform: SavedResponse): ResponseDraft {
  const draft: ResponseDraft = {
    body: bodyDraftOf(transform.body, emptyResponse.body),
    errors: (transform.errors ?? []).map(({ status, body }, key) => ({
      key,
      status: [status].flat().join(', '),
      template: body.template,
    })),
  };
  return sameJson(readResponse(draft), transform) ? draft : { ...draft, written: transform };
}

/** Returns the draft for JSON text. Text that is no transform is kept as `unread`. */
export function requestFromText(draft: RequestDraft, text: string): RequestDraft {
  const reason = jsonTextError(RequestTransform, text);
  return reason === undefined
    ? requestDraftOf(RequestTransform.parse(JSON.parse(text)))
    : { ...draft, unread: { text, reason } };
}

/** Returns the draft for JSON text. Text that is no transform is kept as `unread`. */
export function responseFromText(draft: ResponseDraft, text: string): ResponseDraft {
  const reason = jsonTextError(ResponseTransform, text);
  return reason === undefined
    ? responseDraftOf(ResponseTransform.parse(JSON.parse(text)))
    : { ...draft, unread: { text, reason } };
}

interface Transforms {
  readonly transformsRequest: boolean;
  readonly request: RequestDraft;
  readonly transformsResponse: boolean;
  readonly response: ResponseDraft;
}

/** Returns the errors of JSON texts that are no transforms, by the field of a draft. */
export function transformErrors(draft: Transforms): Readonly<Record<string, string>> {
  const request = draft.transformsRequest ? draft.request.unread?.reason : undefined;
  const response = draft.transformsResponse ? draft.response.unread?.reason : undefined;
  return { ...(request !== undefined && { request }), ...(response !== undefined && { response }) };
}

/** A parameter without `=` has empty text here. */
function pairsOf(given: Readonly<Record<string, string | null>> | null | undefined): readonly Pair[] {
  return Object.entries(given ?? {}).map(([name, text], key) => ({ key, name, text: text ?? '' }));
}

function bodyDraftOf(body: string | BodyTransform | null | undefined, empty: BodyDraft): BodyDraft {
  if (body === null || body === undefined) return empty;
  if (typeof body === 'string') return { ...empty, kind: 'template', template: body };
  switch (body.action) {
    case 'remove':
      return { ...empty, kind: 'remove' };
    case 'transform':
      return { ...empty, kind: 'template', template: body.template };
    case 'x_www_form_urlencoded':
      return { ...empty, kind: 'form', form: pairsOf(body.form_template) };
    default:
      return body satisfies never;
  }
}

/** Returns the transform. An unchanged draft returns `before`, which preserves older formats. */
export function readRequest(draft: RequestDraft, before?: SavedRequest | null): SavedRequest {
  if (draft.written !== undefined) return draft.written;
  if (before && JSON.stringify(requestDraftOf(before)) === JSON.stringify(draft)) return before;
  const add = recordOf(draft.addHeaders);
  const remove = listOf(draft.removeHeaders);
  const query = draft.query === 'whole' ? draft.queryText : queryOf(draft.queryPairs, before);
  return {
    version: 2,
    template_engine: 'Kriti',
    ...(draft.method !== '' && { method: draft.method }),
    ...(draft.url.trim() !== '' && { url: draft.url.trim() }),
    ...(draft.query !== 'keep' && { query_params: query }),
    ...((Object.keys(add).length > 0 || remove.length > 0) && {
      request_headers: { add_headers: add, remove_headers: remove },
    }),
    ...(draft.contentType !== '' && { content_type: draft.contentType }),
    ...bodyOf(draft.body),
  };
}

export function readResponse(draft: ResponseDraft, before?: SavedResponse | null): SavedResponse {
  if (draft.written !== undefined) return draft.written;
  if (before && JSON.stringify(responseDraftOf(before)) === JSON.stringify(draft)) return before;
  const errors = draft.errors.map(({ status, template }) => ({
    status: listOf(status).map((one) => (/^\d+$/.test(one) ? Number(one) : one)),
    body: { action: 'transform' as const, template },
  }));
  return { version: 2, template_engine: 'Kriti', ...bodyOf(draft.body), ...(errors.length > 0 && { errors }) };
}

function bodyOf({ kind, template, form }: BodyDraft): { readonly body?: BodyTransform } {
  switch (kind) {
    case 'keep':
      return {};
    case 'remove':
      return { body: { action: 'remove' } };
    case 'template':
      return { body: { action: 'transform', template } };
    case 'form':
      return { body: { action: 'x_www_form_urlencoded', form_template: recordOf(form) } };
    default:
      return kind satisfies never;
  }
}

/** A parameter without `=` is preserved. */
function queryOf(pairs: readonly Pair[], before: SavedRequest | null | undefined): Record<string, string | null> {
  const known = before?.query_params;
  const old = typeof known === 'object' ? (known ?? {}) : {};
  return Object.fromEntries(
    Object.entries(recordOf(pairs)).map(([name, text]) => [name, text === '' && old[name] === null ? null : text]),
  );
}

/** Rows without name are omitted. */
function recordOf(pairs: readonly Pair[]): Record<string, string> {
  return Object.fromEntries(pairs.flatMap(({ name, text }) => (name.trim() === '' ? [] : [[name.trim(), text]])));
}

/** Splits `a, b` and trims the parts. */
export function listOf(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
