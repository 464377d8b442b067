/** What `joinery dev` tells of the requests that the service answers, the calls it makes, and what comes to its sink. */

import { paint, say } from '../../print.ts';
import type { Arrival } from './webhook-sink.ts';

type Server = typeof import('@joinery/server');
type Observation = Parameters<NonNullable<Parameters<Server['start']>[0]['observe']>>[0];

/** One line for each GraphQL operation, REST request, call of a handler or remote schema, and refusal. */
export function tellObservation(observation: Observation): void {
  switch (observation.kind) {
    case 'operation': {
      const { type, name, role, code, durationMs } = observation;
      const ended = code === undefined ? paint('green', 'ok') : paint('red', code);
      say(
        `${paint('cyan', 'request')}  ${type} ${name ?? firstField(observation.query())} as ${role} ${ended} ${time(durationMs)}`,
      );
      return;
    }
    case 'request': {
      const { method, path, status, durationMs } = observation;
      if (path.startsWith('/api/rest'))
        say(`${paint('cyan', 'request')}  ${method} ${path} ${painted(status)} ${time(durationMs)}`);
      return;
    }
    case 'call': {
      const { purpose, outcome, durationMs } = observation;
      // Deliveries of events are told from their log, which says which event it was.
      if (purpose.kind === 'event') return;
      say(
        `${paint('cyan', 'call')}     ${purpose.kind} ${purpose.name} ${paint(outcome === '2xx' ? 'green' : 'red', outcome)} ${time(durationMs)}`,
      );
      return;
    }
    case 'refused': {
      const { code, path, message } = observation.error;
      say(`${paint('cyan', 'refused')}  ${paint('red', code)} at ${path}: ${message}`);
      return;
    }
    default:
  }
}

export function tellArrival({ method, path, headers, body, status }: Arrival): void {
  const ended = status === undefined ? paint('red', 'dropped') : painted(status);
  say(
    `${paint('cyan', 'sink')}     ${method} ${path} ${ended}${headers['webhook-signature'] === undefined ? '' : ' signed'}`,
  );
  if (body !== '') say(indented(body));
}

function indented(body: string): string {
  return printed(body)
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}

function printed(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** What an anonymous operation is about. */
function firstField(query: string): string {
  return /\{\s*(\w+)/.exec(query)?.[1] ?? '';
}

function painted(status: number): string {
  return paint(status < 400 ? 'green' : 'red', String(status));
}

function time(ms: number): string {
  return paint('dim', `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`);
}
