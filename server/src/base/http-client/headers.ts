/** Rules for forwarding headers between HTTP exchanges. Names are in lower case. */

/** Headers of one connection, websocket or body, which must not be forwarded (RFC 9110, 7.6.1; RFC 6455, 11.3). */
export const hopByHopHeaders: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'expect', 'http2-settings', 'keep-alive', 'proxy-authenticate'],
  ...['proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['sec-websocket-key', 'sec-websocket-version', 'sec-websocket-extensions', 'sec-websocket-protocol'],
]);

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns `headers` without hop-by-hop headers, including those that the sender lists in `Connection`. Names are in lower
 * case.
 */
export function endToEnd(headers: Headers): Headers {
  const named = connectionOptions(headers.connection);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHopHeaders.has(name) && !named.has(name)));
}

/** Does the same for the headers of a response. */
export function endToEndPairs<Pair extends readonly [name: string, value: string]>(
  headers: readonly Pair[],
): readonly Pair[] {
  const values = headers.filter(([name]) => name.toLowerCase() === 'connection').map(([, value]) => value);
  const named = connectionOptions(values);
  return named.size === 0 ? headers : headers.filter(([name]) => !named.has(name.toLowerCase()));
}

/** Returns the names in a `Connection` header, in lower case. */
function connectionOptions(value: string | readonly string[] | undefined): ReadonlySet<string> {
  if (value === undefined) return new Set();
  return new Set(
    headerText(value)
      .split(',')
      .map((name) => name.trim().toLowerCase()),
  );
}

/** Headers that describe the client and its body. They are not forwarded. */
export const clientHeaders: readonly string[] = [
  ...['content-length', 'content-md5', 'user-agent', 'host', 'origin', 'referer', 'accept', 'accept-encoding'],
  ...['accept-language', 'accept-datetime', 'cache-control', 'connection', 'dnt', 'content-type'],
];

/** Headers that are not forwarded whatever the metadata lists: they would be wrong for the outgoing request. */
export const neverForwarded: ReadonlySet<string> = new Set([
  ...['accept-encoding', 'content-encoding', 'content-type', 'host'],
]);

/** Response headers that are not returned to the client: they describe the body of the upstream response. */
export const neverReturned: ReadonlySet<string> = new Set([
  ...hopByHopHeaders,
  ...['content-encoding', 'content-type', 'date', 'content-md5', 'digest', 'etag', 'content-range', 'vary'],
]);

/** Headers that are forwarded under other names. */
export const forwardedAs: readonly (readonly [from: string, to: string])[] = [
  ['host', 'X-Forwarded-Host'],
  ['user-agent', 'X-Forwarded-User-Agent'],
  ['origin', 'X-Forwarded-Origin'],
];

/** Returns the value of a header that may occur several times. */
export function headerText(value: string | readonly string[]): string {
  return typeof value === 'string' ? value : value.join(', ');
}
