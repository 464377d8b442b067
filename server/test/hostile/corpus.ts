/** The corpus of hostile inputs: the JSON files in `corpus/`, one for each category. */
import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';

/** A text, parts of a text, or a repeated text. */
export type Text = string | readonly Text[] | { readonly repeat: Text; readonly times: number };

const Text: z.ZodType<Text> = z.lazy(() =>
  z.union([z.string(), z.array(Text), z.strictObject({ repeat: Text, times: z.int() })]),
);

/** Returns the text of a specification. */
export function textOf(written: Text): string {
  if (typeof written === 'string') return written;
  if ('repeat' in written) return textOf(written.repeat).repeat(written.times);
  return written.map(textOf).join('');
}

const headers = z.record(z.string(), Text).optional();

/** An HTTP request by `fetch`. `args` and `command` are those of a metadata command, `query` and `variables` of a GraphQL request. */
const httpMembers = z.strictObject({
  to: z.enum(['graphql', 'metadata', 'rest', 'http']),
  method: z.string().optional(),
  path: Text.optional(),
  headers,
  /** Sent instead of a printed request. */
  body: Text.optional(),
  /** The body has the characters as bytes (Latin-1) instead of UTF-8. */
  bytes: z.literal(true).optional(),
  query: Text.optional(),
  /** JSON text. */
  variables: Text.optional(),
  command: z.string().optional(),
  /** JSON text. */
  args: Text.optional(),
});

/** Bytes (Latin-1) written to a TCP connection, which the client ends if `end` is true. */
const rawMembers = z.strictObject({ to: z.literal('tcp'), send: Text, end: z.literal(true).optional() });

/** How often the frame is sent. Default 1. */
const times = z.int().optional();
const Frame = z.union([
  z.strictObject({ text: Text, times }),
  z.strictObject({ bytes: Text }),
  z.strictObject({
    opcode: z.int(),
    payload: Text.optional(),
    /** Default true. */
    final: z.boolean().optional(),
    /** Default true. */
    masked: z.boolean().optional(),
    /** The length in the header, if it is not that of the payload. */
    length: z.number().optional(),
    /** The reserved bits, 1 to 7. */
    reserved: z.int().optional(),
    times,
  }),
]);
export type Frame = z.infer<typeof Frame>;

/** Frames sent after the handshake. `await`: the number of messages to read before the connection is checked. */
const socketMembers = z.strictObject({
  to: z.literal('websocket'),
  protocol: z.string().optional(),
  frames: z.array(Frame),
  await: z.int().optional(),
});

/** A bearer token: its text, or its parts with a signature. */
const tokenMembers = z.strictObject({
  to: z.literal('jwt'),
  token: Text.optional(),
  header: z.unknown().optional(),
  /** Any JSON, or JSON text in `text`. */
  claims: z.unknown().optional(),
  text: Text.optional(),
  signature: z.enum(['valid', 'none', 'other']).optional(),
});

/** The response of a server that the service calls: a body with headers, or all bytes (Latin-1). */
const responseMembers = z.strictObject({
  to: z.enum(['action', 'remote', 'webhook']),
  status: z.int().optional(),
  headers,
  body: Text.optional(),
  bytes: Text.optional(),
  /** The GraphQL request that causes the call. */
  query: z.string().optional(),
});

const named = { name: z.string(), expect: z.union([z.string(), z.array(z.string())]) };
const Http = httpMembers.extend(named);
export type HttpInput = z.infer<typeof Http>;
const Raw = rawMembers.extend(named);
export type RawInput = z.infer<typeof Raw>;
const Frames = socketMembers.extend(named);
export type WebSocketInput = z.infer<typeof Frames>;
const Token = tokenMembers.extend(named);
export type TokenInput = z.infer<typeof Token>;
const Response = responseMembers.extend(named);
export type ResponseInput = z.infer<typeof Response>;

const Input = z.discriminatedUnion('to', [Http, Raw, Frames, Token, Response]);

/** An input with the outcomes that are permitted: see `Outcome` of senders.ts. */
export type HostileInput = z.infer<typeof Input>;

export interface Category {
  readonly category: string;
  readonly inputs: readonly HostileInput[];
}

const folder = new URL('corpus/', import.meta.url);

export function readCorpus(): readonly Category[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => ({
      category: file.slice(0, -'.json'.length),
      inputs: z.array(Input).parse(JSON.parse(readFileSync(new URL(file, folder), 'utf8'))),
    }));
}
