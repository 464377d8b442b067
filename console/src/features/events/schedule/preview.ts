/** Preview of the request of a draft. Pure. */
import { jsonProblem, prettyText } from '../../../api/exact-json.ts';
import type { Draft } from '../../../shared/event-form/event-draft.ts';

interface Preview {
  /** Request line and headers, one per line. */
  readonly head: string;
  readonly body: string;
}

/** Formats the request. Unknown values are dots. `now` in milliseconds since 1970. */
export function previewOf(draft: Draft, now: number): Preview {
  const at = draft.when.kind === 'now' ? now : draft.when.ms;
  const headers = draft.headers
    .filter(({ name }) => name.trim() !== '')
    .map(({ name, from, text }) => `${name.trim()}: ${from === 'value' ? text : `(value of ${text || '…'})`}`);
  const comment = draft.comment.trim();
  const members = [
    ['id', '"…"'],
    ['scheduled_time', at === undefined ? '"…"' : JSON.stringify(shortTime(at))],
    ['payload', payloadOf(draft)],
    ['created_at', '"…"'],
    ...(comment === '' ? [] : [['comment', JSON.stringify(comment)]]),
  ];
  const { body, signing } = draft.delivery;
  const lines = ['webhook-id: …', 'webhook-timestamp: …', 'webhook-attempt: 1'];
  if (signing === 'own') lines.push(`webhook-signature: (by the keys in ${draft.delivery.variable.trim() || '…'})`);
  const head = [`POST ${draft.webhook.trim() || '…'}`, 'Content-Type: application/json', ...headers, ...lines].join(
    '\n',
  );
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
