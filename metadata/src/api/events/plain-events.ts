/**
 * Parses the arguments of the commands that create scheduled events without the schema for each event. Most events have only a webhook, a time, a
 * payload and members that are equal in all events of a request; the schema takes about five times as long for them.
 */
import type { z } from 'zod';
import { EventHeader } from '../../schema/events/delivery.ts';
import { RetryConf } from '../../schema/events/retry.ts';
import { readTimestamp } from '../../time/timestamps.ts';
import { type CreateScheduledEvent, type CreateScheduledEvents, MOST_EVENTS } from './events.ts';

type Headers = CreateScheduledEvent['headers'];

/** Parses one member by its schema. May throw. */
export type ParseMember = <Output>(schema: z.ZodType<Output>, input: unknown) => Output;

const noHeaders: Headers = [];
const defaultRetries = RetryConf.parse({});
const EventHeaders = EventHeader.array().max(100);

/**
 * Returns the parsed arguments; undefined where the schema has to decide. The result is that of the schema, except that events share
 * equal members.
 *
 * @param parse parses a member, or an event that is not plain; the result is undefined where it throws
 */
export function readPlainEvents(
  args: unknown,
  schema: z.ZodType<CreateScheduledEvent>,
  parse: ParseMember,
): CreateScheduledEvents | undefined {
  if (!isObject(args) || Object.keys(args).length !== 1 || !Object.hasOwn(args, 'events')) return undefined;
  const inputs: unknown = args.events;
  if (!Array.isArray(inputs) || inputs.length === 0 || inputs.length > MOST_EVENTS) return undefined;
  const reader = new PlainEventReader(parse);
  const events: CreateScheduledEvent[] = [];
  try {
    for (const input of inputs) events.push(reader.read(input) ?? parse(schema, input));
  } catch {
    return undefined;
  }
  return { events };
}

/** As `readPlainEvents`, for the arguments of `create_scheduled_event`. */
export function readPlainEvent(args: unknown, parse: ParseMember): CreateScheduledEvent | undefined {
  try {
    return new PlainEventReader(parse).read(args);
  } catch {
    return undefined;
  }
}

/** Parses events, and parses headers and retries that equal those of the last event once. */
class PlainEventReader {
  readonly #headers: (input: unknown) => Headers;
  readonly #retries: (input: unknown) => RetryConf;

  constructor(parse: ParseMember) {
    this.#headers = rememberLast((input) => parse(EventHeaders, input));
    this.#retries = rememberLast((input) => parse(RetryConf, input));
  }

  /** Returns the parsed event; undefined where it is not plain. Throws where its headers or its retries are invalid. */
  read(input: unknown): CreateScheduledEvent | undefined {
    if (!isObject(input)) return undefined;
    for (const name of Object.keys(input)) if (!plainMembers.has(name)) return undefined;
    const { webhook, schedule_at, payload, comment, key, ordering_key, headers, retry_conf } = input;
    if (!isText(webhook, 1, 8_000) || payload === undefined || typeof schedule_at !== 'string') return undefined;
    if (!isTextOrNone(comment, 0, 10_000) || !isTextOrNone(key, 1, 255) || !isTextOrNone(ordering_key, 1, 255)) {
      return undefined;
    }
    const time = readTimestamp(schedule_at);
    if ('reason' in time) return undefined;
    return {
      webhook,
      payload,
      comment,
      key,
      ordering_key,
      headers: isNone(headers) ? noHeaders : this.#headers(headers),
      retry_conf: isNone(retry_conf) ? defaultRetries : this.#retries(retry_conf),
      at: time.instant,
    };
  }
}

const plainMembers: ReadonlySet<string> = new Set([
  'webhook',
  'schedule_at',
  'payload',
  'headers',
  'retry_conf',
  'comment',
  'key',
  'ordering_key',
]);

/** Returns a function that parses an input again only where it differs from the last one. */
function rememberLast<Output>(parse: (input: unknown) => Output): (input: unknown) => Output {
  let last: { readonly input: unknown; readonly output: Output } | undefined;
  return (input) => {
    if (last === undefined || !equalJson(last.input, input)) last = { input, output: parse(input) };
    return last.output;
  };
}

/** Whether two JSON values are equal. The order of members counts. */
function equalJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  const others = Object.keys(other);
  if (names.length !== others.length) return false;
  return names.every((name, index) => name === others[index] && equalJson(one[name], other[name]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isNone(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** NUL, or any half of a surrogate pair: a complete pair is rare enough for the schema. */
const odd = /[\0\ud800-\udfff]/;

function isText(value: unknown, least: number, most: number): value is string {
  return typeof value === 'string' && value.length >= least && value.length <= most && !odd.test(value);
}

function isTextOrNone(value: unknown, least: number, most: number): value is string | null | undefined {
  return isNone(value) || isText(value, least, most);
}
