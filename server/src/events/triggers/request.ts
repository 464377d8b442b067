/** The request of a call for events of a trigger: one event, or a batch of them as a list. */
import { createHash } from 'node:crypto';
import { expand, expandHeaders, type WrittenHeader } from '../../base/environment.ts';
import { parseJson, printJson } from '../../base/json-value.ts';
import type { SessionVariables } from '../../base/templates/transform.ts';
import { transformResponse } from '../../base/templates/transform-response.ts';
import type { TargetEvent } from '../targets/target.ts';
import type { DeliverableEvent } from '../types/deliverable-event.ts';
import { withDefaults } from '../webhook/envelope.ts';
import { type EventRequest, type FinishedRequest, finishRequest, type RequestTools } from '../webhook/request.ts';
import { hideInJson, type StoredRequest, variablesOf } from '../webhook/sent-request.ts';
import { type CapturedChange, sessionOf, traceOf, triggerEnvelope } from './envelope.ts';
import type { DeliveredTrigger } from './trigger.ts';

/** Events of a trigger that are sent in one call. */
export interface TriggerEvent extends DeliverableEvent {
  /** As it was defined when the event was claimed. */
  readonly trigger: DeliveredTrigger;
  /** In the order in which they are sent; one unless the trigger has batches. */
  readonly changes: readonly CapturedChange[];
}

/** Separates the data of the changes of a batch in its payload. JSON text does not contain it. */
const separator = '\u001e';

/** Returns the payload of an event: the members `data` of its changes as JSON strings. */
export function joinData(data: readonly string[]): string {
  return data.join(separator);
}

/** Returns the body: the envelope of one event, or a list of those of a batch. */
function bodyOf(event: TriggerEvent, payload: string): string {
  const { trigger, changes } = event;
  const currentRetry = event.tries - event.triesBefore;
  const data = changes.length === 1 ? [payload] : payload.split(separator);
  const envelopes = changes.map((change, index) => {
    return triggerEnvelope(trigger, change, data[index] ?? 'null', currentRetry);
  });
  return trigger.batch === undefined ? envelopes.join() : `[${envelopes.join()}]`;
}

/** Returns how to read the target of an event; undefined for a trigger with a webhook. See `EventStore.targetOf`. */
export function targetOfTrigger(event: TriggerEvent, payload: string): (() => TargetEvent) | undefined {
  const { id, changes } = event;
  const { target } = event.trigger;
  if (target === undefined) return undefined;
  const sessions = changes.flatMap(({ session }) => (session === undefined ? [] : [session]));
  return () => ({ id, target, body: bodyOf(event, payload), sessions, session: sharedSession(changes) });
}

/**
 * Builds the request. Throws as `finishRequest` does.
 *
 * @param payload see `joinData`
 */
export function buildTriggerRequest(event: TriggerEvent, payload: string, tools: RequestTools): EventRequest {
  const { trigger, changes } = event;
  const [first] = changes;
  if (first === undefined) throw new TypeError('an event without a change');
  const body = bodyOf(event, payload);
  const session = sharedSession(changes);
  const { headers, variables, logged } = headersOf(trigger, tools.agent);
  const { stored, hide, ...request } = finishRequest(
    {
      id: event.id,
      attempt: event.tries + 1,
      webhook: trigger.webhook,
      headers: expandHeaders(headers, tools.environment),
      body,
      signing: trigger.signing,
      transform: trigger.requestTransform,
      session,
      headerVariables: variables,
      plain: trigger.headers.length === 0 && trigger.requestTransform === undefined,
      ...traceOf(first),
    },
    tools,
  );
  return {
    ...request,
    logged: printLog(event, logged, loggedPayload(trigger, body, request.body, hide), {
      ...stored,
      ...(trigger.batch !== undefined && { id: event.id }),
    }),
    loggedBody: trigger.responseTransform && transformOf(trigger, body, session, hide, tools),
  };
}

interface CallHeaders {
  readonly agent: string;
  /** As configured, with the defaults. */
  readonly headers: readonly WrittenHeader[];
  /** The environment variables of the headers. */
  readonly variables: readonly string[];
  /** JSON text of `headers`. */
  readonly logged: string;
}

/** The headers of triggers, which all their calls share. */
const headersByTrigger = new WeakMap<DeliveredTrigger, CallHeaders>();

function headersOf(trigger: DeliveredTrigger, agent: string): CallHeaders {
  const known = headersByTrigger.get(trigger);
  if (known?.agent === agent) return known;
  const headers = withDefaults(trigger.headers, agent);
  const made = { agent, headers, variables: variablesOf(headers), logged: JSON.stringify(headers) };
  headersByTrigger.set(trigger, made);
  return made;
}

/**
 * Returns the log of a request. Headers are as configured, without values from the environment. Without a payload it follows from the
 * event, the number of the call and `max_retries`.
 */
function printLog(
  { trigger, tries, triesBefore }: TriggerEvent,
  headers: string,
  payload: string | undefined,
  stored: StoredRequest,
): string {
  const sent = payload === undefined ? '' : `,"payload":${payload}`;
  // After a redelivery it does not follow from the number of the call.
  const retry = triesBefore === 0 ? '' : `,"current_retry":${tries - triesBefore}`;
  return `{"headers":${headers},"max_retries":${trigger.numRetries}${retry}${sent},"sent":${JSON.stringify(stored)}}`;
}

type Hide = FinishedRequest['hide'];

/**
 * Returns the body of a list, or as a transform changed it, without values from the environment; undefined for a body that follows from
 * the event.
 */
function loggedPayload(
  { requestTransform, batch }: DeliveredTrigger,
  body: string,
  sent: string | undefined,
  hide: Hide,
): string | undefined {
  if (requestTransform !== undefined) return jsonOrNull(sent, hide);
  return batch === undefined ? undefined : body;
}

function jsonOrNull(text: string | undefined, hide: Hide): string {
  try {
    return text === undefined ? 'null' : printJson(hideInJson(parseJson(text), hide));
  } catch {
    return 'null';
  }
}

function transformOf(
  { webhook, responseTransform }: DeliveredTrigger,
  body: string,
  session: SessionVariables,
  hide: Hide,
  { environment }: RequestTools,
): EventRequest['loggedBody'] {
  if (responseTransform === undefined) return undefined;
  return (status, text) => {
    const request = { method: 'POST', url: expand(webhook, environment), headers: [], body: parseJson(body) };
    const result = transformResponse(responseTransform, { status, body: text, request, session });
    return result === undefined ? text : printJson(hideInJson(result.value, hide));
  };
}

/** Returns the session variables for templates: those of the changes, if all were made in equal sessions. */
function sharedSession(changes: readonly CapturedChange[]): SessionVariables {
  const text = changes[0]?.session;
  if (text === undefined || changes.some(({ session }) => session !== text)) return {};
  return sessionOf(text).strings;
}

/** Returns the id of a batch: a UUID of version 8 that depends on all its events, so that an id never has two bodies. */
export function batchId(changes: readonly Pick<CapturedChange, 'id'>[]): string {
  const hash = createHash('sha256');
  for (const { id } of changes) hash.update(id);
  const hex = hash.digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-b${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
