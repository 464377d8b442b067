import { describe, expect, test } from 'vitest';
import { parseArguments } from '../../commands/edit/arguments.ts';
import { CreateScheduledEvent, CreateScheduledEvents } from './events.ts';
import { type ParseMember, readPlainEvent, readPlainEvents } from './plain-events.ts';

const minimal = { webhook: 'https://example.com/hook', schedule_at: '2126-09-01T08:00:00Z', payload: { n: 1 } };

/** Values of each member: valid ones, invalid ones, and those that the schema converts. */
const members: Readonly<Record<string, readonly unknown[]>> = {
  webhook: ['a', '{{NAME}}/x', '', 'x'.repeat(8_000), 'x'.repeat(8_001), 'nul\0', '\ud83d\ude00', '\ud83d', 3, null],
  schedule_at: [
    '2126-09-01 08:00',
    '21260901T080000,5Z',
    '2126-09-01T08:00:00.1234567+02:00',
    '2126-02-29T00:00:00Z',
    '2128-02-29T00:00:00Z',
    '2126-01-01T00:00:00.5z',
    '2126-01-01T24:00:00Z',
    'soon',
    7,
    null,
  ],
  payload: [null, 'text', 3, [1, [2]], { schedule_at: null, unknown: { a: null } }],
  headers: [
    null,
    [],
    [{ name: 'a', value: 'b' }],
    [{ name: 'a', value_from_env: 'B' }],
    [{ name: 'a' }],
    [{ name: 'host name', value: 'b' }],
    [{ name: 'Content-Length', value: '3' }],
    [{ name: 'a', value: 'b', more: 1 }],
    Array.from({ length: 101 }, () => ({ name: 'a', value: 'b' })),
    {},
  ],
  retry_conf: [
    null,
    {},
    { num_retries: 3 },
    { num_retries: null, jitter: null },
    { num_retries: -1 },
    { num_retries: 1.5 },
    { retries: 1 },
    { retry_delays_seconds: [1, 2] },
    { retry_delays_seconds: [] },
    { backoff: 'exponential', jitter: 0.5 },
    [],
    'none',
  ],
  comment: [null, '', 'c', 'x'.repeat(10_000), 'x'.repeat(10_001), 'nul\0', '\udc00', 1],
  key: [null, '', 'k', 'x'.repeat(255), 'x'.repeat(256), '\0', false],
  ordering_key: [null, '', 'o', 'x'.repeat(255), 'x'.repeat(256), '\ud800', {}],
  timezone: [null, 'Europe/Berlin', 'UTC', 'Mars'],
  dst: [null, 'later', 'never'],
  body: [null, 'payload', 'envelope', 'other'],
  signing: [null, false, { key_from_env: 'KEY' }, { key_from_env: 'JOINERY_KEY' }],
  target: [null, { operation: { collection: 'c', name: 'n', role: 'r' } }, {}],
  webhok: ['https://example.com'],
};

const changed = Object.entries(members).flatMap(([name, values]) =>
  values.map((value): [string, Readonly<Record<string, unknown>>] => [name, { ...minimal, [name]: value }]),
);
const missing = Object.keys(minimal).map((name): [string, Readonly<Record<string, unknown>>] => [
  name,
  Object.fromEntries(Object.entries(minimal).filter(([other]) => other !== name)),
]);
const events = [...changed, ...missing];

/** The result, or the error with its path. */
function outcomeOf(read: () => unknown): unknown {
  try {
    return { result: read() };
  } catch (error) {
    return { error: String(error), path: Reflect.get(Object(error), 'path') };
  }
}

const readEvents = (args: unknown): CreateScheduledEvents =>
  readPlainEvents(args, CreateScheduledEvent, parseArguments) ?? parseArguments(CreateScheduledEvents, args);
const readEvent = (args: unknown): CreateScheduledEvent =>
  readPlainEvent(args, parseArguments) ?? parseArguments(CreateScheduledEvent, args);

describe('arguments that create events', () => {
  test.each(events)('have the result and the errors of the schema with other values of %s', (_name, event) => {
    expect(outcomeOf(() => readEvent(event))).toEqual(outcomeOf(() => parseArguments(CreateScheduledEvent, event)));
    // After a plain event, before one that is equal, and as the last of many.
    for (const list of [
      [event],
      [minimal, event, event],
      [...Array.from({ length: 50 }, () => ({ ...minimal, retry_conf: { num_retries: 3 } })), event],
    ]) {
      const args = { events: list };
      expect(outcomeOf(() => readEvents(args))).toEqual(outcomeOf(() => parseArguments(CreateScheduledEvents, args)));
    }
  });

  test('are parsed as by the schema where the values of adjacent events differ', () => {
    const valid = events.flatMap(([, event]) => ('result' in Object(outcomeOf(() => readEvent(event))) ? [event] : []));
    expect(valid.length).toBeGreaterThan(20);
    const args = { events: [...valid, ...valid.toReversed()] };
    expect(readEvents(args)).toEqual(parseArguments(CreateScheduledEvents, args));
  });

  test.each([
    ['no arguments', undefined],
    ['no events', { events: [] }],
    ['too many events', { events: Array.from({ length: 10_001 }, () => minimal) }],
    ['events that are no list', { events: minimal }],
    ['an unknown argument', { events: [minimal], event: 1 }],
    ['an element that is no object', { events: [minimal, 'event'] }],
    ['an element that is a list', { events: [minimal, [minimal]] }],
    ['an element that is null', { events: [minimal, null] }],
  ])('have the errors of the schema with %s', (_what, args) => {
    const outcome = outcomeOf(() => readEvents(args));
    expect(outcome).toEqual(outcomeOf(() => parseArguments(CreateScheduledEvents, args)));
    expect(outcome).toHaveProperty('error');
  });

  test('have the path of the invalid member of the last of 10,000 events', () => {
    const list = Array.from({ length: 10_000 }, () => ({ ...minimal, retry_conf: { num_retries: 3 } }));
    const last = { ...minimal, retry_conf: { num_retries: 3, jitter: 2 } };
    expect(outcomeOf(() => readEvents({ events: [...list.slice(1), last] }))).toMatchObject({
      path: '$.events[9999].retry_conf.jitter',
    });
  });

  test('parse equal headers and retries of many events once', () => {
    let parsed = 0;
    const counting: ParseMember = (schema, input) => {
      parsed += 1;
      return parseArguments(schema, input);
    };
    const list = Array.from({ length: 100 }, (_, n) => ({
      ...minimal,
      payload: n,
      headers: [{ name: 'a', value: 'b' }],
      retry_conf: { num_retries: 3 },
    }));
    expect(readPlainEvents({ events: list }, CreateScheduledEvent, counting)?.events).toHaveLength(100);
    expect(parsed).toBe(2);
  });
});
