/** Compresses responses for clients that accept it, in the thread pool. */
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { FastifyInstance } from 'fastify';

export type Encoding = 'br' | 'gzip';

export interface CompressionSettings {
  /** Encodings in order of preference; an empty list disables compression. */
  readonly encodings: readonly Encoding[];
  /** Smaller responses are not compressed. */
  readonly minBytes: number;
}

type Compress = (text: string) => Promise<Buffer>;

/** Levels for dynamic responses: three quarters of the gain for a tenth of the time. */
const compressors: Readonly<Record<Encoding, Compress>> = {
  br: (text) => promisify(zlib.brotliCompress)(text, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (text) => promisify(zlib.gzip)(text, { level: 3 }),
};

const compressible = /^(application\/([\w.+-]+\+)?json|text\/)/;

export function compressResponses(app: FastifyInstance, settings: CompressionSettings): void {
  if (settings.encodings.length === 0) return;
  app.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string' || !isLarge(payload, settings)) return done(null, payload);
    if (reply.hasHeader('content-encoding') || !compressible.test(String(reply.getHeader('content-type')))) {
      return done(null, payload);
    }
    const vary = reply.getHeader('vary');
    reply.header('vary', vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`);
    const chosen = chooseEncoding(request.headers['accept-encoding'], settings.encodings);
    if (chosen === undefined) return done(null, payload);
    compress(payload, chosen).then((compressed) => {
      reply.header('content-encoding', chosen);
      reply.removeHeader('content-length');
      done(null, compressed);
    }, done);
  });
}

/** Whether responses with this body depend on `Accept-Encoding`. A string has at least as many bytes as characters. */
export function isLarge(body: string, { encodings, minBytes }: CompressionSettings): boolean {
  return encodings.length > 0 && body.length >= minBytes;
}

export function compress(body: string, encoding: Encoding): Promise<Buffer> {
  return compressors[encoding](body);
}

/** Returns the first of `offered` that `Accept-Encoding` accepts by name or by `*`. */
export function chooseEncoding(
  accepted: string | readonly string[] | undefined,
  offered: readonly Encoding[],
): Encoding | undefined {
  if (typeof accepted !== 'string') return undefined;
  const weights = new Map(
    accepted.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
      const weight = parameters.find((one) => one.startsWith('q='));
      return [name, weight === undefined ? 1 : Number(weight.slice(2))] as const;
    }),
  );
  return offered.find((encoding) => (weights.get(encoding) ?? weights.get('*') ?? 0) > 0);
}
