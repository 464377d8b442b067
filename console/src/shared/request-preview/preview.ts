/** Preview of the request of a draft. Pure. */
import { jsonProblem, prettyText } from '../../api/exact-json.ts';
import type { Draft } from '../event-form/event-draft.ts';
import { eventHeaders, headersBeforeTransform, requestHead } from './request-head.ts';

interface Preview {
  /** Request line and headers, one per line. */
  readonly head: string;
  readonly body: string;
}

/**
 * Formats the request. Unknown values are dots. `now` in milliseconds since 1970. `trigger`: the name of the cron trigger
 * whose runs are called; undefined for a one-off event.
 */
export function previewOf(draft: Draft, now: number, trigger?: string): Preview {
  const at = draft.when.kind === 'now' ? now : draft.when.ms;
  const configured = draft.headers
    .filter(({ name }) => name.trim() !== '')
    .map(({ name, from, text }) => [name.trim(), from === 'value' ? text : `(value of ${text || '…'})`] as const);
  const comment = draft.comment.trim();
  const members = [
    ['id', '"…"'],
    ['scheduled_time', at === undefined || trigger !== undefined ? '"…"' : JSON.stringify(shortTime(at))],
    ['payload', payloadOf(draft)],
    trigger === undefined ? ['created_at', '"…"'] : ['name', JSON.stringify(trigger.trim() || '…')],
    ...(comment === '' ? [] : [['comment', JSON.stringify(comment)]]),
  ];
  const { body } = draft.delivery;
  const head = requestHead({
    method: 'POST',
    url: draft.webhook.trim(),
    headers: headersBeforeTransform(configured),
    own: eventHeaders(draft.delivery),
    hasBody: true,
  });
  if (body === 'payload') return { head, body: isReadable(draft) ? draft.payload : '…' };
  return {
    head,
    body: `{\n${members.map(([name, value]) => `  "${name}": ${value}`).join(',\n')}\n}`,
  };
}

function isReadable({ payload }: Draft): boolean {
  return payload.trim() !== '' && jsonProblem(payload) === undefined;
}

function payloadOf(draft: Draft): string {
  const { payload } = draft;
  if (!isReadable(draft)) return '…';
  return prettyText(payload).replaceAll('\n', '\n  ');
}

/** Formats a time as the service does, without trailing zeros. */
function shortTime(ms: number): string {
  return new Date(Math.floor(ms / 1_000) * 1_000).toISOString().replace('.000Z', 'Z');
}
