/** The response of a call. */
import { isUtf8 } from 'node:buffer';
import type { Dispatcher } from 'undici';

/** Alternating names and values. */
export type RawHeaders = Dispatcher.DispatchController['rawHeaders'];

type Headers = readonly (readonly [name: string, value: string])[];

/** A response as bytes, whose headers and body are decoded when they are first used. */
export class ReceivedResponse {
  readonly status: number;
  readonly bytes: Buffer;
  readonly truncated: boolean;
  readonly durationMs: number;
  readonly #rawHeaders: RawHeaders;
  #headers: Headers | undefined;
  #body: string | undefined;

  constructor(status: number, rawHeaders: RawHeaders, bytes: Buffer, truncated: boolean, durationMs: number) {
    this.status = status;
    this.#rawHeaders = rawHeaders;
    this.bytes = bytes;
    this.truncated = truncated;
    this.durationMs = durationMs;
  }

  get headers(): Headers {
    this.#headers ??= headerPairs(this.#rawHeaders);
    return this.#headers;
  }

  get body(): string {
    this.#body ??= this.bytes.toString('utf8');
    return this.#body;
  }
}

/** Returns pairs of the alternating names and values. */
function headerPairs(raw: RawHeaders): [string, string][] {
  const flat = Array.isArray(raw) ? raw : [];
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) {
    pairs.push([String(flat[index]), headerText(flat[index + 1] ?? '')]);
  }
  return pairs;
}

/** Decodes UTF-8 where valid, otherwise Latin-1, so that no byte is lost. */
function headerText(raw: Buffer | string): string {
  return typeof raw === 'string' ? raw : raw.toString(isUtf8(raw) ? 'utf8' : 'latin1');
}
