/**
 * Opens connections to addresses that may be called and to no others. A name is resolved once, what it resolves to is
 * judged, and the connection goes to that very address: a name that resolves otherwise a moment later changes nothing.
 */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import type { Egress } from './egress.ts';

/** All addresses of a host name. Rejects as `lookup` of node:dns does. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export const resolveBySystem: Resolve = (hostname) => lookup(hostname, { all: true });

/** The message says why, and names no address. */
export class EgressError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'EgressError';
  }
}

/** A connector for the HTTP client. Unix sockets are out of its reach, as there are no URLs of them. */
export function checkedConnector(
  build: typeof buildConnector,
  egress: Egress,
  resolve: Resolve,
): buildConnector.connector {
  // The whole call has a time limit of its own.
  const connect = build({ timeout: 0, lookup: checkedLookup(egress, resolve) });
  return (options, callback) => {
    // An address that is written as such is never looked up.
    const refusal = egress.refusalOf(options.protocol, options.hostname);
    if (refusal === undefined) connect(options, callback);
    else process.nextTick(callback, new EgressError(refusal), null);
  };
}

/** Of several addresses those that may not be called are left out; when none is left, the call is refused. */
function checkedLookup(egress: Egress, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const family = options.family === 4 || options.family === 6 ? options.family : undefined;
        const fitting = addresses.filter((one) => family === undefined || one.family === family);
        const open = fitting.filter(({ address }) => egress.rejectionOfAddress(address) === undefined);
        const [first] = open;
        if (first === undefined) callback(faultOf(hostname, fitting, egress), '', 0);
        else if (options.all === true) callback(null, open);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

function faultOf(hostname: string, addresses: readonly LookupAddress[], egress: Egress): Error {
  const [refused] = addresses;
  if (refused !== undefined) return new EgressError(egress.rejectionOfAddress(refused.address) ?? '');
  return Object.assign(new Error(`no address for ${hostname}`), { code: 'ENOTFOUND' });
}
