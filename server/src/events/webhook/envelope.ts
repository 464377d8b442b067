/** What is sent for an event: the body around its payload, and the headers. Also what the log says was sent. */
import { type Environment, expandHeaders, type WrittenHeader } from '../../base/environment.ts';

/** The parts of an event that its body shows; times in UTC as PostgreSQL writes them, without the `Z`. */
export interface Enveloped {
  readonly id: string;
  readonly scheduledTime: string;
  readonly createdAt: string;
  readonly comment: string | undefined;
  /** Of a cron event. */
  readonly triggerName?: string | undefined;
}

/**
 * JSON text of the body. `payload` is JSON text and stands in it digit for digit. A cron event has the name of its
 * trigger where others have the time of their creation.
 */
export function envelope(event: Enveloped, payload: string): string {
  const comment = event.comment === undefined ? '' : `,"comment":${JSON.stringify(event.comment)}`;
  const origin =
    event.triggerName === undefined
      ? `"created_at":"${utc(event.createdAt)}"`
      : `"name":${JSON.stringify(event.triggerName)}`;
  return `{"id":"${event.id}","scheduled_time":"${utc(event.scheduledTime)}","payload":${payload},${origin}${comment}}`;
}

/** `2026-09-01T08:00:00.250000` as `2026-09-01T08:00:00.25Z`: no zeros at the end. */
export function utc(time: string): string {
  if (time.endsWith('.000000')) return `${time.slice(0, -7)}Z`;
  return `${time.replace(/\.?0+$/, '')}Z`;
}

/** They say what the body is and who calls; a configured header of the same name gives way. */
function defaultHeaders(agent: string): { readonly name: string; readonly value: string }[] {
  return [
    { name: 'Content-Type', value: 'application/json' },
    { name: 'User-Agent', value: agent },
  ];
}

/** The headers as written: templates unfilled, names of variables instead of their values. Fit to be shown. */
export function writtenHeaders(headers: string, agent: string): WrittenHeader[] {
  const defaults: WrittenHeader[] = defaultHeaders(agent);
  if (headers === '[]') return defaults;
  const overridden = new Set(defaults.map((header) => header.name.toLowerCase()));
  const configured = JSON.parse(headers) as WrittenHeader[];
  return [...defaults, ...configured.filter((header) => !overridden.has(String(header.name).toLowerCase()))];
}

/** The headers as sent. Throws `invalid-configuration` that names a variable that is not set. */
export function sentHeaders(headers: string, agent: string, environment: Environment): [string, string][] {
  // Nothing to fill in.
  if (headers === '[]') return defaultHeaders(agent).map(({ name, value }) => [name, value]);
  return expandHeaders(writtenHeaders(headers, agent), environment);
}
