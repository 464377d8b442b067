/** The body and headers of an event's request, as sent and as logged. */
import { type Environment, expandHeaders, type WrittenHeader } from '../../base/environment.ts';

/** The members of an event in its body; times in UTC as PostgreSQL writes them, without the `Z`. */
export interface EnvelopeEvent {
  readonly id: string;
  readonly scheduledTime: string;
  readonly createdAt: string;
  readonly comment: string | undefined;
  /** The cron trigger, for a cron event. */
  readonly triggerName?: string | undefined;
}

/**
 * Returns the body as JSON text. `payload` is JSON text and is included unchanged. A cron event has the member `name`, the
 * name of its trigger, instead of `created_at`.
 */
export function envelope(event: EnvelopeEvent, payload: string): string {
  const comment = event.comment === undefined ? '' : `,"comment":${JSON.stringify(event.comment)}`;
  const origin =
    event.triggerName === undefined
      ? `"created_at":"${utc(event.createdAt)}"`
      : `"name":${JSON.stringify(event.triggerName)}`;
  return `{"id":"${event.id}","scheduled_time":"${utc(event.scheduledTime)}","payload":${payload},${origin}${comment}}`;
}

/** Converts `2026-09-01T08:00:00.250000` to `2026-09-01T08:00:00.25Z`, without trailing zeros. */
export function utc(time: string): string {
  if (time.endsWith('.000000')) return `${time.slice(0, -7)}Z`;
  return `${time.replace(/\.?0+$/, '')}Z`;
}

/** Default headers; they override configured headers of the same name. */
function defaultHeaders(agent: string): { readonly name: string; readonly value: string }[] {
  return [
    { name: 'Content-Type', value: 'application/json' },
    { name: 'User-Agent', value: agent },
  ];
}

/** Returns the headers as configured, without the values of environment variables, so that they can be logged. */
export function configuredHeaders(headers: string, agent: string): WrittenHeader[] {
  if (headers === '[]') return defaultHeaders(agent);
  return withDefaults(JSON.parse(headers) as WrittenHeader[], agent);
}

/** Returns the default headers, then the configured headers with other names. */
export function withDefaults(configured: readonly WrittenHeader[], agent: string): WrittenHeader[] {
  const defaults = defaultHeaders(agent);
  const overridden = new Set(defaults.map((header) => header.name.toLowerCase()));
  return [...defaults, ...configured.filter((header) => !overridden.has(String(header.name).toLowerCase()))];
}

/** Returns the headers as sent. Throws `invalid-configuration` for an unset variable. */
export function sentHeaders(headers: string, agent: string, environment: Environment): [string, string][] {
  if (headers === '[]') return defaultHeaders(agent).map(({ name, value }) => [name, value]);
  return expandHeaders(configuredHeaders(headers, agent), environment);
}
