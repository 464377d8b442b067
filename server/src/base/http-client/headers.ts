/** Which headers may pass from one HTTP exchange into another. Names are in lower case. */

/** They speak of one connection or one body, and would break another. */
export const hopByHopHeaders: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'expect', 'http2-settings', 'keep-alive', 'proxy-authenticate'],
  ...['proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * `headers` without those of the connection: the fixed ones, and those that the sender names in `Connection`. Names are in
 * lower case. A proxy must not forward them (RFC 9110, 7.6.1).
 */
export function endToEnd(headers: Headers): Headers {
  const named = connectionOptions(headers.connection);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHopHeaders.has(name) && !named.has(name)));
}

/** The same of the headers of a response. */
export function endToEndPairs<Pair extends readonly [name: string, value: string]>(
  headers: readonly Pair[],
): readonly Pair[] {
  const values = headers.filter(([name]) => name.toLowerCase() === 'connection').map(([, value]) => value);
  const named = connectionOptions(values);
  return named.size === 0 ? headers : headers.filter(([name]) => !named.has(name.toLowerCase()));
}

/** The names, in lower case, in the value of a `Connection` header. */
function connectionOptions(value: string | readonly string[] | undefined): ReadonlySet<string> {
  if (value === undefined) return new Set();
  return new Set(
    headerText(value)
      .split(',')
      .map((name) => name.trim().toLowerCase()),
  );
}

/** What clients say of themselves and of their body to us, and not to those we call. */
export const clientHeaders: readonly string[] = [
  ...['content-length', 'content-md5', 'user-agent', 'host', 'origin', 'referer', 'accept', 'accept-encoding'],
  ...['accept-language', 'accept-datetime', 'cache-control', 'connection', 'dnt', 'content-type'],
];

/** Not forwarded even where a list of what is ignored leaves them out: they would lie about our own call. */
export const neverForwarded: ReadonlySet<string> = new Set([
  ...['accept-encoding', 'content-encoding', 'content-type', 'host'],
]);

/** Not handed on from an answer to our client: they speak of the body that was sent to us. */
export const neverReturned: ReadonlySet<string> = new Set([
  ...hopByHopHeaders,
  ...['content-encoding', 'content-type', 'date', 'content-md5', 'digest', 'etag', 'content-range', 'vary'],
]);

/** What clients say of themselves goes on under other names. */
export const forwardedAs: readonly (readonly [from: string, to: string])[] = [
  ['host', 'X-Forwarded-Host'],
  ['user-agent', 'X-Forwarded-User-Agent'],
  ['origin', 'X-Forwarded-Origin'],
];

/** The value of a header that may have come several times. */
export function headerText(value: string | readonly string[]): string {
  return typeof value === 'string' ? value : value.join(', ');
}
