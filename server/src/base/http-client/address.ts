/** Parses the URLs of calls. */

/** A URL that cannot be called. The message does not contain it. */
export class InvalidAddressError extends Error {}

export interface Address {
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  /** The credentials of the URL as a header. */
  readonly authorization: readonly [name: string, value: string] | undefined;
}

/** Addresses by their text, which many calls share. */
const addresses = new Map<string, Address>();
const MOST_CACHED = 500;
/** Longer texts differ from call to call. */
const LONGEST_CACHED = 500;

/**
 * Throws an InvalidAddressError for a text that is no http or https URL, has a control character, or has credentials that
 * cannot be decoded. White space around the URL is ignored.
 */
export function addressOf(text: string): Address {
  let address = addresses.get(text);
  if (address === undefined) {
    const url = parseUrl(text);
    address = { origin: url.origin, path: url.pathname + url.search, authorization: credentialsOf(url) };
    if (text.length > LONGEST_CACHED) return address;
    if (addresses.size >= MOST_CACHED) addresses.clear();
    addresses.set(text, address);
  }
  return address;
}

function parseUrl(text: string): URL {
  // URL removes tabs and line breaks, so that another URL than the written one would be called.
  if (/\p{Cc}/u.test(text.trim())) throw new InvalidAddressError('the address has a control character');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new InvalidAddressError('the address is not an http or https URL');
  }
  return url;
}

function credentialsOf({ username, password }: URL): Address['authorization'] {
  if (username === '' && password === '') return undefined;
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return ['authorization', `Basic ${Buffer.from(pair).toString('base64')}`];
  } catch (cause) {
    throw new InvalidAddressError('the credentials in the address are not URL-encoded', { cause });
  }
}
