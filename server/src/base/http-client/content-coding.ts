/** Decodes response bodies by their `Content-Encoding` header, in chunks. */
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';

/** A body with an unknown content coding, or one that does not match its coding. */
export class ContentCodingError extends Error {}

export interface Decoder {
  /** Returns false when the caller should wait for `onDrain` before it writes more. */
  write(chunk: Uint8Array): boolean;
  end(): void;
  /** Stops decoding. The listener is not called afterwards. */
  destroy(): void;
}

export interface DecoderListener {
  onData(chunk: Uint8Array): void;
  onDrain(): void;
  onEnd(): void;
  onError(error: ContentCodingError): void;
}

const MOST_CODINGS = 3;

/** Returns the codings of a body in the order in which they were applied; empty for an uncoded body. */
export function codingsOf(contentEncoding: string | readonly string[] | undefined): readonly string[] {
  if (contentEncoding === undefined) return [];
  return [contentEncoding]
    .flat()
    .flatMap((value) => value.toLowerCase().split(','))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
}

/**
 * Creates a decoder. `first` is the beginning of the body, which `write` receives again. Throws a ContentCodingError for
 * an unsupported coding.
 */
export function createDecoder(codings: readonly string[], first: Uint8Array, listener: DecoderListener): Decoder {
  if (codings.length > MOST_CODINGS) throw new ContentCodingError('the body has too many content codings');
  const steps = codings
    .map((coding, index) => stepFor(coding, index === codings.length - 1 ? first[0] : undefined))
    .reverse();
  const [entry] = steps;
  const last = steps.at(-1);
  if (entry === undefined || last === undefined) throw new TypeError('there is no coding');
  let destroyed = false;
  const destroy = (): void => {
    destroyed = true;
    for (const step of steps) step.destroy();
  };
  steps.forEach((step, index) => {
    const next = steps[index + 1];
    if (next !== undefined) step.pipe(next);
    step.on('error', () => {
      if (destroyed) return;
      destroy();
      listener.onError(new ContentCodingError(`the body is not valid ${codings.join(', ')}`));
    });
  });
  last.on('data', (chunk: Uint8Array) => {
    if (!destroyed) listener.onData(chunk);
  });
  last.on('end', () => {
    if (!destroyed) listener.onEnd();
  });
  entry.on('drain', () => {
    if (!destroyed) listener.onDrain();
  });
  return {
    write: (chunk) => destroyed || entry.write(chunk),
    end: () => {
      if (!destroyed) entry.end();
    },
    destroy,
  };
}

/** Missing in older releases of Node.js. */
const { createZstdDecompress } = zlib as unknown as { readonly createZstdDecompress?: () => Transform };

function stepFor(coding: string, first: number | undefined): Transform {
  if (coding === 'gzip' || coding === 'x-gzip') return zlib.createGunzip();
  // Some servers omit the zlib header, whose first byte ends in 8.
  if (coding === 'deflate') return ((first ?? 8) & 15) === 8 ? zlib.createInflate() : zlib.createInflateRaw();
  if (coding === 'br') return zlib.createBrotliDecompress();
  if (coding === 'zstd' && createZstdDecompress !== undefined) return createZstdDecompress();
  throw new ContentCodingError(`the content coding ${JSON.stringify(coding.slice(0, 40))} is not supported`);
}
