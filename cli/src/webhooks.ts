/** For receivers of webhooks: `import { createReceiver } from 'joinery/webhooks'`. Needs nothing but Node. */
import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';

/** A call of a scheduled event or a cron trigger. */
export interface Delivery<Payload = unknown> {
  /** The same for all attempts of one event: what was done for it needs not be done again. */
  readonly id: string;
  readonly scheduledTime: Date;
  readonly payload: Payload;
  /** 1 for the first; 0 where the service did not say. */
  readonly attempt: number;
  /** Of one-off events. */
  readonly createdAt: Date | undefined;
  /** Of cron events. */
  readonly triggerName: string | undefined;
  readonly comment: string | undefined;
}

/** As `fetch` has them, or as Node's `IncomingMessage` does. */
export type ReceivedHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export type WebhookFault = 'missing-header' | 'wrong-signature' | 'outside-tolerance' | 'not-an-event';

/** Why a request is rejected: respond with 401, or 400 for `not-an-event`. */
export class WebhookError extends Error {
  readonly fault: WebhookFault;

  constructor(fault: WebhookFault, message: string) {
    super(message);
    this.name = 'WebhookError';
    this.fault = fault;
  }
}

export interface ReceiverOptions {
  /** `whsec_` (shared) or `whpk_` (public) keys, several separated by spaces or commas: one that fits is enough. */
  readonly keys: string;
  /** How far the time of a call may be from now; 300 unless given. */
  readonly toleranceSeconds?: number;
}

export interface Receiver {
  /** Throws WebhookError unless the bytes came from who has the key, just now. */
  verify(body: string | Uint8Array, headers: ReceivedHeaders): void;
  /** Verifies and parses the body of an event. The type of the payload is taken on trust. Throws WebhookError. */
  receive<Payload = unknown>(body: string | Uint8Array, headers: ReceivedHeaders): Delivery<Payload>;
}

/** Throws TypeError for keys that cannot be read; it does not repeat them. */
export function createReceiver({ keys, toleranceSeconds = 300 }: ReceiverOptions): Receiver {
  const verifiers = keys
    .split(/[\s,]+/)
    .filter((key) => key !== '')
    .map(verifierOf);
  if (verifiers.length === 0) throw new TypeError('there is no key; give one that begins with whsec_ or whpk_');

  const check = (body: string | Uint8Array, headers: ReceivedHeaders): void => {
    const id = required(headers, 'webhook-id');
    const timestamp = required(headers, 'webhook-timestamp');
    const signatures = required(headers, 'webhook-signature').split(' ');
    if (!/^\d{1,12}$/.test(timestamp))
      throw new WebhookError('missing-header', 'webhook-timestamp is not a number of seconds');
    if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) {
      throw new WebhookError(
        'outside-tolerance',
        `the call is more than ${toleranceSeconds} s from now by its webhook-timestamp`,
      );
    }
    const message = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), bytesOf(body)]);
    const fits = signatures.some((one) => {
      const comma = one.indexOf(',');
      const [scheme, signature] = [one.slice(0, comma), Buffer.from(one.slice(comma + 1), 'base64')];
      return verifiers.some((verifier) => verifier.scheme === scheme && verifier.verify(message, signature));
    });
    if (!fits)
      throw new WebhookError('wrong-signature', 'no signature of the call fits a key; is it the key of the service?');
  };
  return {
    verify: check,
    receive: <Payload>(body: string | Uint8Array, headers: ReceivedHeaders) => {
      check(body, headers);
      return readDelivery<Payload>(body, headers);
    },
  };
}

/** The body of an event without a look at signatures, for services that sign nothing. Throws WebhookError. */
export function readDelivery<Payload = unknown>(
  body: string | Uint8Array,
  headers: ReceivedHeaders = {},
): Delivery<Payload> {
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(bytesOf(body)).toString('utf8'));
  } catch {
    throw new WebhookError('not-an-event', 'the body is not JSON');
  }
  const event = (typeof read === 'object' && read !== null ? read : {}) as Readonly<Record<string, unknown>>;
  const scheduledTime = timeOf(event.scheduled_time);
  if (typeof event.id !== 'string' || scheduledTime === undefined || !('payload' in event)) {
    throw new WebhookError(
      'not-an-event',
      'the body has no id, scheduled_time and payload; an event with body "payload" or a transform is read from its body alone',
    );
  }
  return {
    id: event.id,
    scheduledTime,
    payload: event.payload as Payload,
    attempt: Number(headerOf(headers, 'webhook-attempt') ?? 0),
    createdAt: timeOf(event.created_at),
    triggerName: typeof event.name === 'string' ? event.name : undefined,
    comment: typeof event.comment === 'string' ? event.comment : undefined,
  };
}

interface Verifier {
  readonly scheme: 'v1' | 'v1a';
  verify(message: Uint8Array, signature: Uint8Array): boolean;
}

function verifierOf(key: string): Verifier {
  const [, prefix, text = ''] = /^(whsec_|whpk_)([A-Za-z0-9+/]+={0,2})$/.exec(key) ?? [];
  const bytes = Buffer.from(text, 'base64');
  switch (prefix) {
    case 'whsec_':
      return {
        scheme: 'v1',
        verify: (message, signature) => {
          const expected = createHmac('sha256', bytes).update(message).digest();
          return expected.length === signature.length && timingSafeEqual(expected, signature);
        },
      };
    case 'whpk_': {
      const publicKey = publicKeyOf(bytes);
      return { scheme: 'v1a', verify: (message, signature) => verify(null, message, publicKey, signature) };
    }
    default:
      throw new TypeError(
        'a key must be whsec_ or whpk_ and base64; whsk_ is the private key, which stays with the service',
      );
  }
}

/** What stands before the 32 bytes in SPKI. */
const spki = Buffer.from('302a300506032b6570032100', 'hex');

function publicKeyOf(bytes: Buffer): KeyObject {
  if (bytes.length !== 32 && bytes.length !== spki.length + 32) {
    throw new TypeError(`the whpk_ key has ${bytes.length} bytes, which is no ed25519 public key`);
  }
  return createPublicKey({ key: Buffer.concat([spki, bytes.subarray(-32)]), format: 'der', type: 'spki' });
}

function required(headers: ReceivedHeaders, name: string): string {
  const value = headerOf(headers, name);
  if (value !== undefined && value !== '') return value;
  throw new WebhookError('missing-header', `the header ${name} is missing: does the service sign its calls?`);
}

function headerOf(headers: ReceivedHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function')
    return (headers as { get(name: string): string | null }).get(name) ?? undefined;
  const value = (headers as Readonly<Record<string, string | readonly string[] | undefined>>)[name];
  return typeof value === 'string' ? value : value?.[0];
}

function timeOf(value: unknown): Date | undefined {
  if (typeof value !== 'string') return undefined;
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

function bytesOf(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? Buffer.from(body) : body;
}
