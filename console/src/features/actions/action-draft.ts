/** Draft of an action and its definition. Pure. */
import type { HeaderDraft } from '../../shared/headers/header-draft.ts';
import { headersOf, sentHeaders } from '../../shared/headers/header-draft.ts';
import type { Action, ActionDefinition, CustomTypes } from './actions-api.ts';
import { printAction, printTypes, type ReadAction } from './sdl/sdl.ts';
import {
  emptyRequest,
  emptyResponse,
  listOf,
  type RequestDraft,
  type ResponseDraft,
  readRequest,
  readResponse,
  requestDraftOf,
  responseDraftOf,
} from './transforms/transform-draft.ts';

export interface ActionDraft {
  readonly signature: string;
  readonly types: string;
  readonly handler: string;
  readonly kind: 'synchronous' | 'asynchronous';
  readonly comment: string;
  readonly headers: readonly HeaderDraft[];
  readonly forwards: boolean;
  /** Client headers that are not forwarded. */
  readonly ignores: 'usual' | 'these';
  /** Names, separated by commas. */
  readonly ignored: string;
  readonly responseHeaders: string;
  readonly timeout: string;
  readonly retries: string;
  readonly retryInterval: string;
  readonly maxCalls: string;
  /** Seconds. Empty for no cache. */
  readonly cacheSeconds: string;
  /** Session variables in the cache key. */
  readonly cacheBy: 'all' | 'these';
  /** Session variables, separated by commas. */
  readonly cacheVariables: string;
  readonly transformsRequest: boolean;
  readonly request: RequestDraft;
  readonly transformsResponse: boolean;
  readonly response: ResponseDraft;
}

export type DraftField = keyof ActionDraft;

const example = {
  signature: 'type Mutation {\n  placeOrder(product: String!): PlacedOrder\n}',
  types: 'type PlacedOrder {\n  orderId: Int!\n  customerId: Int!\n}',
};

export const emptyActionDraft: ActionDraft = {
  ...example,
  handler: '',
  kind: 'synchronous',
  comment: '',
  headers: [],
  forwards: false,
  ignores: 'usual',
  ignored: '',
  responseHeaders: '',
  timeout: '30',
  retries: '0',
  retryInterval: '10',
  maxCalls: '',
  cacheSeconds: '',
  cacheBy: 'all',
  cacheVariables: '',
  transformsRequest: false,
  request: emptyRequest,
  transformsResponse: false,
  response: emptyResponse,
};

export function actionDraftOf(action: Action, types: CustomTypes): ActionDraft {
  const { definition } = action;
  const { request_transform: request, response_transform: response, retry_conf: retries, cache } = definition;
  return {
    ...emptyActionDraft,
    signature: printAction(action, types),
    types: printTypes(action, types),
    handler: definition.handler,
    kind: definition.kind ?? 'synchronous',
    comment: action.comment ?? '',
    headers: headersOf(definition.headers ?? []),
    forwards: definition.forward_client_headers ?? false,
    ignores: definition.ignored_client_headers === undefined ? 'usual' : 'these',
    ignored: (definition.ignored_client_headers ?? []).join(', '),
    responseHeaders: (definition.forward_response_headers ?? []).join(', '),
    timeout: String(definition.timeout ?? 30),
    retries: String(retries?.num_retries ?? 0),
    retryInterval: String(retries?.retry_interval_seconds ?? 10),
    maxCalls: textOf(definition.max_concurrent_calls),
    cacheSeconds: textOf(cache?.ttl_seconds),
    cacheBy: cache?.session_variables === undefined ? 'all' : 'these',
    cacheVariables: (cache?.session_variables ?? []).join(', '),
    transformsRequest: request !== undefined && request !== null,
    request: request ? requestDraftOf(request) : emptyRequest,
    transformsResponse: response !== undefined && response !== null,
    response: response ? responseDraftOf(response) : emptyResponse,
  };
}

function textOf(value: number | undefined): string {
  return value === undefined ? '' : String(value);
}

/** Returns the errors of numeric fields. */
export function numberProblems(draft: ActionDraft): ReadonlyMap<DraftField, string> {
  const problems = new Map<DraftField, string>();
  const whole = ['timeout', ...(draft.kind === 'asynchronous' ? (['retries', 'retryInterval'] as const) : [])] as const;
  for (const field of whole) if (!/^\d+$/.test(draft[field].trim())) problems.set(field, 'Must be a whole number.');
  if (!/^([1-9]\d*)?$/.test(draft.maxCalls.trim())) problems.set('maxCalls', 'Must be a whole number, or empty.');
  const seconds = draft.cacheSeconds.trim();
  if (seconds !== '' && !(Number(seconds) > 0)) problems.set('cacheSeconds', 'Must be a number of seconds, or empty.');
  return problems;
}

/** Returns the definition. Members of `before` without an input are preserved. */
export function definitionFrom(draft: ActionDraft, read: ReadAction, before?: ActionDefinition): object {
  const { name: _name, comment: _comment, ...signature } = read;
  const asynchronous = signature.type === 'mutation' && draft.kind === 'asynchronous';
  const retries = { num_retries: Number(draft.retries), retry_interval_seconds: Number(draft.retryInterval) };
  const {
    headers: _headers,
    ignored_client_headers: _ignored,
    forward_response_headers: _forwardedHeaders,
    retry_conf,
    max_concurrent_calls: _calls,
    cache: _cache,
    request_transform,
    response_transform,
    ...rest
  }: Partial<ActionDefinition> = before ?? {};
  const headers = sentHeaders(draft.headers);
  const responseHeaders = listOf(draft.responseHeaders);
  const keepsRetries = retry_conf !== undefined || retries.num_retries > 0;
  return {
    ...rest,
    ...signature,
    kind: draft.kind,
    handler: draft.handler.trim(),
    forward_client_headers: draft.forwards,
    timeout: Number(draft.timeout),
    ...(headers.length > 0 && { headers }),
    // An empty list differs from none: it forwards all headers.
    ...(draft.ignores === 'these' && { ignored_client_headers: listOf(draft.ignored) }),
    ...(responseHeaders.length > 0 && { forward_response_headers: responseHeaders }),
    ...(asynchronous ? keepsRetries && { retry_conf: retries } : retry_conf !== undefined && { retry_conf }),
    ...(draft.maxCalls.trim() !== '' && { max_concurrent_calls: Number(draft.maxCalls) }),
    ...(draft.cacheSeconds.trim() !== '' && {
      cache: {
        ttl_seconds: Number(draft.cacheSeconds),
        ...(draft.cacheBy === 'these' && { session_variables: listOf(draft.cacheVariables) }),
      },
    }),
    ...(draft.transformsRequest && { request_transform: readRequest(draft.request, request_transform) }),
    ...(draft.transformsResponse && { response_transform: readResponse(draft.response, response_transform) }),
  };
}

/** Whether an option under "Advanced" is set. */
export function isAdvanced(draft: ActionDraft): boolean {
  const { headers, forwards, ignores, responseHeaders, timeout, retries, maxCalls, cacheSeconds } = draft;
  return (
    headers.length > 0 ||
    forwards ||
    ignores === 'these' ||
    [responseHeaders, maxCalls, cacheSeconds].some((text) => text !== '') ||
    timeout !== '30' ||
    retries !== '0'
  );
}
