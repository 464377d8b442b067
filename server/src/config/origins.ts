/** The options of CORS, cookies and host names. */
import { z } from 'zod';
import { flag } from './values.ts';

/** Names in lower case; an address has no brackets. */
const hosts = z
  .string()
  .transform((written) => written.split(',').map((host) => host.trim().toLowerCase()))
  .pipe(
    z.array(
      z.string().regex(/^(\*|[^\s:/?#@[\]*]+|[\da-f:.]+)$/, 'must be host names without ports, separated by commas'),
    ),
  );

const origins = z
  .string()
  .refine(
    (written) => written.split(',').every((item) => /^(\*|[A-Za-z][A-Za-z\d+.-]*:\/\/\S+)$/.test(item.trim())),
    'must be `*`, or origins with their scheme such as https://a.com, separated by commas',
  );

export const originOptions = {
  corsDomain: {
    name: 'CORS_DOMAIN',
    meaning:
      'permitted origins of web pages, separated by commas; `https://*.a.com` permits one label before `.a.com`, and `*` every origin. Default: `*` with an admin secret, and only pages of this service without one',
    fallback: undefined,
    parse: origins,
  },
  disableCors: { name: 'DISABLE_CORS', meaning: 'send no CORS headers', fallback: 'false', parse: flag },
  wsReadCookie: {
    name: 'WS_READ_COOKIE',
    meaning: 'with JOINERY_DISABLE_CORS, read the cookie of the request that opens a websocket',
    fallback: 'false',
    parse: flag,
  },
  allowedHosts: {
    name: 'ALLOWED_HOSTS',
    meaning:
      'permitted host names of requests besides loopback, separated by commas; `*` matches every name. Default: every name with an admin secret, and only loopback without one',
    fallback: undefined,
    parse: hosts,
  },
} as const;
