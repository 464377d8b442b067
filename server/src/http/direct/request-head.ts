/** Parses the head of a common request strictly; every other request is left to node:http. */
import type { IncomingHttpHeaders } from 'node:http';

export interface RequestHead {
  /** Names in lower case, as node:http has them. */
  readonly headers: IncomingHttpHeaders;
  readonly contentLength: number;
}

/** Matches a head with one request line and headers of printable ASCII, without folded lines. */
export function headPattern(path: string): RegExp {
  const literal = path.replaceAll(/[^\w/]/g, '\\$&');
  return new RegExp(`^POST ${literal} HTTP/1\\.1(?:\\r\\n[!#$%&'*+.^_\`|~\\w-]+:[\\t\\x20-\\x7e]*)+$`);
}

const json = /^application\/json(?:; ?charset=utf-8)?$/i;
const length = /^[1-9]\d{0,6}$/;

/** Headers that change how the connection or the body is read, or that node:http reads as a list. */
const unusual: ReadonlySet<string> = new Set([
  ...['transfer-encoding', 'expect', 'upgrade', 'trailer', 'te', 'keep-alive', 'proxy-connection', 'http2-settings'],
  'content-encoding',
  'set-cookie',
]);

/** Returns the parsed head; undefined unless it is that of a common request with a JSON body. */
export function readHead(head: string, pattern: RegExp): RequestHead | undefined {
  if (!pattern.test(head)) return undefined;
  const headers: Record<string, string> = {};
  let start = head.indexOf('\r\n') + 2;
  while (start > 1) {
    const end = head.indexOf('\r\n', start);
    const colon = head.indexOf(':', start);
    const name = lowerCase(head.slice(start, colon));
    // node:http joins or drops repeated headers by their names.
    if (unusual.has(name) || name in headers) return undefined;
    headers[name] = trimmed(head.slice(colon + 1, end === -1 ? head.length : end));
    start = end === -1 ? 0 : end + 2;
  }
  const { host, connection, 'content-type': type, 'content-length': given } = headers;
  if (host === undefined || type === undefined || given === undefined) return undefined;
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return undefined;
  return json.test(type) && length.test(given) ? { headers, contentLength: Number(given) } : undefined;
}

/** Spaces and tabs around a value are not part of it. */
function trimmed(value: string): string {
  return value.charCodeAt(0) === 32 && value.charCodeAt(1) > 32 && value.charCodeAt(value.length - 1) > 32
    ? value.slice(1)
    : value.replaceAll(/^[\t ]+|[\t ]+$/g, '');
}

const names = new Map<string, string>();
const MOST_NAMES = 500;

/** Names repeat; the first ones are cached. */
function lowerCase(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const lower = name.toLowerCase();
  if (names.size < MOST_NAMES && name.length < 64) names.set(name, lower);
  return lower;
}
