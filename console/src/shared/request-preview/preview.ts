/** Preview of the request of a draft. Pure. */
import { jsonProblem, prettyText } from '../../api/exact-json.ts';
import type { Draft } from '../event-form/event-draft.ts';

/** Configured headers that the service replaces with its own. */
const replaced = /^(content-type|user-agent|webhook-(id|timestamp|attempt|signature)|traceparent)$/i;

const signatures: Readonly<Record<Draft['delivery']['signing'], (variable: string) => readonly string[]>> = {
  settings: () => ['webhook-signature: (if the service has JOINERY_WEBHOOK_SIGNING_KEYS)'],
  own: (variable) => [`webhook-signature: (by the keys in ${variable})`],
  none: () => [],
};

interface Preview {
  /** Request line and headers, one per line. */
  readonly head: string;
  readonly body: string;
}

/** Formats the request. Unknown values are dots. `now` in milliseconds since 1970. */
export function previewOf(draft: Draft, now: number): Preview {
  const at = draft.when.kind === 'now' ? now : draft.when.ms;
  const headers = draft.headers
    .filter(({ name }) => name.trim() !== '' && !replaced.test(name.trim()))
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
  const head = [
    `POST ${draft.webhook.trim() || '…'}`,
    `Host: ${hostOf(draft.webhook.trim())}`,
    'Connection: keep-alive',
    'Content-Type: application/json',
    'User-Agent: joinery/…',
    ...headers,
    'webhook-id: …',
    'webhook-timestamp: …',
    'webhook-attempt: 1',
    'traceparent: 00-…',
    ...signatures[signing](draft.delivery.variable.trim() || '…'),
    'Content-Length: …',
  ].join('\n');
  if (body === 'payload') return { head, body: isReadable(draft) ? draft.payload : '…' };
  return {
    head,
    body: `{\n${members.map(([name, value]) => `  "${name}": ${value}`).join(',\n')}\n}`,
  };
}

/** Returns the host with the port of a URL, which may have templates. */
function hostOf(url: string): string {
  if (URL.canParse(url)) return new URL(url).host;
  return /^(?:[^/?#]*\/\/)?(?:[^/?#@]*@)?([^/?#]*)/.exec(url)?.[1] || '…';
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
