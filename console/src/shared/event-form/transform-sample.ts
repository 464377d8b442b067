/** A sample request for testing the transform of an event. Pure. */
import type { Draft } from './event-draft.ts';

const sampleId = '3f0f7a52-6c1e-4d7e-9a42-0d6b1c7f5e11';

/** Returns the body before the transform as JSON text, with the payload as typed. `now` in milliseconds since 1970. */
export function sampleBody({ payload, when, comment, delivery }: Draft, now: number): string {
  if (delivery.body === 'payload') return payload;
  const at = when.kind === 'now' ? now : (when.ms ?? now);
  const envelope = {
    id: sampleId,
    scheduled_time: new Date(at).toISOString(),
    created_at: new Date(now).toISOString(),
    ...(comment.trim() !== '' && { comment: comment.trim() }),
  };
  return `${JSON.stringify(envelope).slice(0, -1)},"payload":${payload}}`;
}

/** Returns the arguments of `test_webhook_transform`. Variables in the URL get placeholder values. */
export function trialOf(draft: Draft, variables: readonly string[], now: number): string {
  const exampleOf = (name: string): string => `https://${name.toLowerCase().replaceAll('_', '-')}.example`;
  const args = {
    webhook_url: draft.webhook.trim(),
    env: Object.fromEntries(variables.map((name) => [name, exampleOf(name)])),
    request_headers: [['Content-Type', 'application/json']],
  };
  const { transform } = draft.delivery;
  return `${JSON.stringify(args).slice(0, -1)},"request_transform":${transform},"body":${sampleBody(draft, now)}}`;
}
