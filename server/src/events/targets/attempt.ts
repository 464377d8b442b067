/** Calls the target of an event once and creates the log entry of the call. */
import { ServiceError } from '../../base/errors.ts';
import { printJson } from '../../base/json-value.ts';
import { storableBytes, storableJson, storableJsonText } from '../../base/storable-text.ts';
import { TemplateError } from '../../base/templates/transform.ts';
import type { DeliverableEvent } from '../types/deliverable-event.ts';
import {
  type Attempt,
  type CallLimits,
  clientError,
  MAX_LOGGED_BYTES,
  MAX_TIMEOUT_MS,
  unhealthyStatuses,
} from '../webhook/attempt.ts';
import { type CallTargets, describeCall, fillTarget, type TargetEvent, type TargetResult } from './target.ts';

/** Calls a target with the tools of delivery. */
export interface TargetCaller {
  readonly callTarget: CallTargets;
  /** The database's clock, milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Calls the target once. Never rejects. Resolves to undefined if the call was aborted or not allowed to start: then there is no
 * outcome.
 *
 * @param read returns the target; its errors are outcomes
 */
export async function attemptTarget(
  event: DeliverableEvent,
  read: () => TargetEvent,
  caller: TargetCaller,
  { cutOff, mayStart }: CallLimits,
): Promise<Attempt | undefined> {
  const startedAt = caller.now();
  const started = performance.now();
  const { cancellation, release } = cutOff.child();
  const timer = setTimeout(
    () => cancellation.abort(timeoutError(event.timeoutSeconds)),
    Math.min(event.timeoutSeconds * 1_000, MAX_TIMEOUT_MS),
  );
  try {
    const called = read();
    const { id, target, body, sessions, session } = called;
    const filled = fillTarget(called);
    const request = storableJsonText(
      `{"headers":[],"max_retries":${event.numRetries},"payload":${printJson(describeCall(target, filled.variables))}}`,
    );
    if (!mayStart()) return undefined;
    const result = await caller.callTarget({ id, target, body, sessions, session, filled, signal: cancellation });
    if (cutOff.aborted && result.outcome !== 'delivered') return undefined;
    return { ...attemptOf(result), startedAt, durationMs: performance.now() - started, request };
  } catch (error) {
    return {
      ...notCalled(error),
      startedAt,
      durationMs: performance.now() - started,
    };
  } finally {
    clearTimeout(timer);
    release();
  }
}

function timeoutError(seconds: number): ServiceError {
  return new ServiceError('timeout', `the target did not end within ${seconds} s`);
}

function attemptOf({ outcome, status, response }: TargetResult): Omit<Attempt, 'startedAt' | 'durationMs'> {
  const bytes = Buffer.from(response);
  const truncated = bytes.length > MAX_LOGGED_BYTES;
  const { text } = storableBytes(bytes.subarray(0, MAX_LOGGED_BYTES), truncated);
  const delivered = outcome === 'delivered';
  const data = {
    ...(delivered ? { body: text } : { message: text }),
    headers: [],
    status,
    ...(truncated && { truncated: true }),
  };
  return {
    delivered,
    ...((outcome === 'error' || outcome === 'dead') && { ending: outcome }),
    status,
    response: storableJson({ type: delivered ? 'webhook_response' : 'client_error', data, version: '1' }),
    retryAfter: undefined,
    health: outcome === 'dead' ? undefined : { up: !unhealthyStatuses.has(status), reason: `status ${status}` },
  };
}

/** A template that fails does so in each attempt, because its input stays the same. */
function notCalled(error: unknown): Omit<Attempt, 'startedAt' | 'durationMs'> {
  const known = error instanceof TemplateError || error instanceof ServiceError;
  const message = known ? `the target was not called: ${error.message}` : 'the target was not called: unexpected error';
  return {
    delivered: false,
    ...(known && { ending: 'error' as const }),
    status: undefined,
    response: clientError(message),
    retryAfter: undefined,
    health: undefined,
  };
}
