import { describe, expect, it } from 'vitest';
import { ServiceError } from '../errors.ts';
import { createLog, type LogSettings } from './log.ts';
import type { Observation } from './observe.ts';
import { secretsIn } from './redact.ts';
import type { Span } from './trace.ts';

function logged(settings: Partial<LogSettings>, ...observations: readonly Observation[]): string[] {
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'json', ...settings }, { write: (line) => lines.push(line) });
  for (const observation of observations) log.observe(observation);
  return lines;
}

function failure(message: string): Observation {
  return { kind: 'failure', where: 'a test', error: new ServiceError('unexpected', message) };
}

function operation(durationMs: number): Observation {
  const texts = {
    hash: () => '0123456789abcdef',
    planHash: () => 'fedcba9876543210',
    query: () => '{ author { id } }',
  };
  const result = { type: 'query', name: 'Authors', code: undefined, durationMs, length: 10 } as const;
  return { kind: 'operation', requestId: 'r1', role: 'user', ...result, ...texts };
}

it('masks the values of secrets everywhere, including their JSON form', () => {
  const secrets = ['hunter2-hunter2', 'with "quotes"'];
  const [line = ''] = logged({ secrets }, failure('saw hunter2-hunter2 and with "quotes" here'));
  expect(JSON.parse(line).error.message).toBe('saw *** and *** here');
  expect(line).not.toContain('hunter2');
});

it('masks passwords in URLs, bearer tokens and JSON Web Tokens', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
  const [line = ''] = logged({}, failure(`postgres://joe:pa55word@host/db, Bearer abcdefgh, ${token}`));
  expect(JSON.parse(line).error.message).toBe('postgres://joe:***@host/db, Bearer ***, ***');
});

it('masks the user of a URL without a password, which is a token', () => {
  const [line = ''] = logged({}, failure('called https://t0ken@host/a@b and https://host/x@y'));
  expect(JSON.parse(line).error.message).toBe('called https://***@host/a@b and https://host/x@y');
});

it('recognizes secrets by the names of their variables, including members of JSON and passwords of URLs', () => {
  const environment = {
    STRIPE_API_KEY: 'sk_live_1',
    SHOP_URL: 'https://user:p%40ss@shop.example',
    TOKENS: '["one-token", {"key": "two-token"}]',
    HOME: '/home/joe',
  };
  expect(secretsIn(environment)).toEqual(
    expect.arrayContaining(['sk_live_1', 'p%40ss', 'p@ss', 'one-token', 'two-token']),
  );
  expect(secretsIn(environment)).not.toContain('/home/joe');
});

it('logs operations if configured, by role, name and hash, and without their text', () => {
  expect(logged({}, operation(5))).toEqual([]);
  const [line = ''] = logged({ operations: true }, operation(5));
  expect(JSON.parse(line)).toMatchObject({
    level: 'info',
    kind: 'operation',
    role: 'user',
    hash: '0123456789abcdef',
    planHash: 'fedcba9876543210',
  });
  expect(line).not.toContain('author {');
});

it('writes a msg that can be read alone, and durations with two decimal places', () => {
  const request = { kind: 'request', method: 'GET', path: '/healthz', status: 200, requestId: 'r1' } as const;
  const [line = ''] = logged({ level: 'debug' }, { ...request, durationMs: 1.23456789 });
  expect(JSON.parse(line)).toMatchObject({ kind: 'request', msg: 'GET /healthz 200', durationMs: 1.23 });
});

it('writes the message of a note and of a failure as msg, without passwords of URLs', () => {
  const note = { kind: 'note', level: 'warn', where: 'a test', message: 'the disk is nearly full' } as const;
  const lines = logged({}, note, failure('postgres://joe:pa55word@host/db does not respond'));
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    'the disk is nearly full',
    'a test: postgres://joe:***@host/db does not respond',
  ]);
});

/** A span whose trace is propagated with `traceparent`. */
function spanOf(traceparent: string | undefined): Span {
  const span: Span = {
    recorded: true,
    child: () => span,
    headers: () => (traceparent === undefined ? [] : [['traceparent', traceparent]]),
    set: () => undefined,
    end: () => undefined,
  };
  return span;
}

const traced = spanOf(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`);
const ids = { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16), trace_flags: '01' };

describe('a line about a traced request', () => {
  const request = { kind: 'request', method: 'GET', path: '/', status: 200, requestId: 'r1', durationMs: 1 } as const;

  it.each([
    ['a request', { ...request, span: traced }],
    ['an operation', { ...operation(5), span: traced }],
    ['an error', { kind: 'refused', requestId: 'r1', error: new ServiceError('busy', 'later'), span: traced } as const],
  ])('has the ids of its span: %s', (_what, observation) => {
    const [line = '{}'] = logged({ level: 'debug' }, observation);
    const { trace_id, span_id, trace_flags, span } = JSON.parse(line);
    expect({ trace_id, span_id, trace_flags, span }).toEqual({ ...ids, span: undefined });
  });

  it('has no ids while tracing is off', () => {
    const [line = '{}'] = logged({ level: 'debug' }, { ...request, span: spanOf(undefined) });
    expect(Object.keys(JSON.parse(line)).filter((name) => /trace|span/.test(name))).toEqual([]);
  });
});

it('rounds the duration of an operation and names it in msg', () => {
  const [line = ''] = logged({ operations: true }, operation(0.123456));
  expect(JSON.parse(line)).toMatchObject({ msg: 'query Authors: ok', durationMs: 0.12 });
});

it('warns of slow operations and statements with their text', () => {
  const statement = { kind: 'statement', pool: 'default', text: 'select 1', durationMs: 101, failed: false } as const;
  const lines = logged({ slowMs: 100 }, operation(100), operation(101), statement);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', kind: 'operation', slow: true, query: '{ author { id } }' },
    { level: 'warn', kind: 'statement', slow: true, text: 'select 1' },
  ]);
});
