/** Draft of an action and its definition. Pure. */
import { ActionDefinition as ActionDefinitionEntry } from '@joinery/metadata/schema/actions';
import type { HeaderDraft } from '../../shared/headers/header-draft.ts';
import { headersOf, sentHeaders } from '../../shared/headers/header-draft.ts';
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
  transformErrors,
} from '../../shared/transforms/transform-draft.ts';
import { byMember, numberIn, schemaErrors } from '../../ui/form/beside-text/schema-errors.ts';
import type { Action, ActionDefinition, CustomTypes } from './actions-api.ts';
import { printAction, printTypes, type ReadAction, readActionSdl, readTypesSdl } from './sdl/sdl.ts';

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

const fieldOf = byMember({
  handler: 'handler',
  timeout: 'timeout',
  retry_conf: 'retryInterval',
  'retry_conf.num_retries': 'retries',
  max_concurrent_calls: 'maxCalls',
  'cache.ttl_seconds': 'cacheSeconds',
});

const messages = {
  timeout: 'Must be a whole number.',
  retries: 'Must be a whole number.',
  retryInterval: 'Must be a whole number.',
  maxCalls: 'Must be a whole number, or empty.',
  cacheSeconds: 'Must be a number of seconds, or empty.',
};

/** Returns the messages by field. `name` is the name of the action, undefined for a new one. */
export function actionErrors(draft: ActionDraft, name?: string): Readonly<Record<string, string>> {
  const read = readActionSdl(draft.signature);
  const types = readTypesSdl(draft.types);
  // The signature is in the definition too. Without a valid one, the other fields are validated with an example.
  const signature =
    'problem' in read ? { name: 'example', type: 'mutation' as const, arguments: [], output_type: 'String' } : read;
  const untransformed = { ...draft, transformsRequest: false, transformsResponse: false };
  const errors = schemaErrors(ActionDefinitionEntry, definitionFrom(untransformed, signature), { fieldOf, messages });
  Object.assign(errors, transformErrors(draft));
  if ('problem' in types) errors.types = types.problem;
  if ('problem' in read) errors.signature = read.problem;
  else if (name !== undefined && read.name !== name) {
    errors.signature = `the action is called ${name}; create another one for another name`;
  }
  return errors;
}

/** Returns the definition. Members of `before` without an input are preserved. */
export function definitionFrom(draft: ActionDraft, read: ReadAction, before?: ActionDefinition): object {
  const { name: _name, comment: _comment, ...signature } = read;
  const asynchronous = signature.type === 'mutation' && draft.kind === 'asynchronous';
  const retries = { num_retries: numberIn(draft.retries), retry_interval_seconds: numberIn(draft.retryInterval) };
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
  const keepsRetries = retry_conf !== undefined || retries.num_retries !== 0;
  return {
    ...rest,
    ...signature,
    kind: draft.kind,
    handler: draft.handler.trim(),
    forward_client_headers: draft.forwards,
    timeout: numberIn(draft.timeout),
    ...(headers.length > 0 && { headers }),
    // An empty list differs from none: it forwards all headers.
    ...(draft.ignores === 'these' && { ignored_client_headers: listOf(draft.ignored) }),
    ...(responseHeaders.length > 0 && { forward_response_headers: responseHeaders }),
    ...(asynchronous ? keepsRetries && { retry_conf: retries } : retry_conf !== undefined && { retry_conf }),
    ...(draft.maxCalls.trim() !== '' && { max_concurrent_calls: numberIn(draft.maxCalls) }),
    ...(draft.cacheSeconds.trim() !== '' && {
      cache: {
        ttl_seconds: numberIn(draft.cacheSeconds),
        ...(draft.cacheBy === 'these' && { session_variables: listOf(draft.cacheVariables) }),
      },
    }),
    ...(draft.transformsRequest && { request_transform: readRequest(draft.request, request_transform) }),
    ...(draft.transformsResponse && { response_transform: readResponse(draft.response, response_transform) }),
  };
}
