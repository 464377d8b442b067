/** The log of `joinery dev`: requests, outbound calls, errors and webhooks that the sink received. */

import { paint, printLine } from '../../print.ts';
import type { Arrival } from './webhook-sink.ts';

type Server = typeof import('@joinery/server');
type Observation = Parameters<NonNullable<Parameters<Server['start']>[0]['observe']>>[0];

/** Prints one line per GraphQL operation, REST request, call of a handler or remote schema, and rejected request. */
export function logObservation(observation: Observation): void {
  switch (observation.kind) {
    case 'operation': {
      const { type, name, role, code, durationMs } = observation;
      const ended = code === undefined ? paint('green', 'ok') : paint('red', code);
      printLine(
        `${paint('cyan', 'request')}  ${type} ${name ?? firstField(observation.query())} as ${role} ${ended} ${time(durationMs)}`,
      );
      return;
    }
    case 'request': {
      const { method, path, status, durationMs } = observation;
      if (path.startsWith('/api/rest'))
        printLine(`${paint('cyan', 'request')}  ${method} ${path} ${painted(status)} ${time(durationMs)}`);
      return;
    }
    case 'call': {
      const { purpose, outcome, durationMs } = observation;
      // Event deliveries are printed from the invocation log, which has the id of the event.
      if (purpose.kind === 'event') return;
      printLine(
        `${paint('cyan', 'call')}     ${purpose.kind} ${purpose.name} ${paint(outcome === '2xx' ? 'green' : 'red', outcome)} ${time(durationMs)}`,
      );
      return;
    }
    case 'refused': {
      const { code, path, message } = observation.error;
      printLine(`${paint('cyan', 'rejected')} ${paint('red', code)} at ${path}: ${message}`);
      return;
    }
    default:
  }
}

export function logReceivedRequest({ method, path, headers, body, status }: Arrival): void {
  const ended = status === undefined ? paint('red', 'dropped') : painted(status);
  printLine(
    `${paint('cyan', 'sink')}     ${method} ${path} ${ended}${headers['webhook-signature'] === undefined ? '' : ' signed'}`,
  );
  if (body !== '') printLine(indented(body));
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

/** Returns the root fields of an anonymous operation. */
function firstField(query: string): string {
  return /\{\s*(\w+)/.exec(query)?.[1] ?? '';
}

function painted(status: number): string {
  return paint(status < 400 ? 'green' : 'red', String(status));
}

function time(ms: number): string {
  return paint('dim', `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`);
}
