/**
 * Opens connections to permitted addresses only. A name is resolved once, the address is checked, and the connection is
 * made to that address, so that a changed DNS record has no effect (DNS rebinding).
 */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import type { Egress } from './egress.ts';

/** Returns all addresses of a host name. Rejects as `lookup` of node:dns does. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export const resolveBySystem: Resolve = (hostname) => lookup(hostname, { all: true });

/** A call that the egress policy rejects. The message contains no address. */
export class EgressError extends Error {
  override readonly name = 'EgressError';
}

/** Returns a connector for undici that opens permitted connections only. */
export function checkedConnector(
  build: typeof buildConnector,
  egress: Egress,
  resolve: Resolve,
): buildConnector.connector {
  // The time limit of the call covers connecting.
  const connect = build({ timeout: 0, lookup: checkedLookup(egress, resolve) });
  return (options, callback) => {
    // An IP address in the URL is not looked up.
    const rejection = egress.rejectionOf(options.protocol, options.hostname);
    if (rejection === undefined) connect(options, callback);
    else process.nextTick(callback, new EgressError(rejection), null);
  };
}

/** Removes forbidden addresses from the result of a lookup. Fails when none remains. */
export function checkedLookup(egress: Egress, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const family = options.family === 4 || options.family === 6 ? options.family : undefined;
        const fitting = addresses.filter((one) => family === undefined || one.family === family);
        const open = fitting.filter(({ address }) => egress.rejectionOfAddress(address) === undefined);
        const [first] = open;
        if (first === undefined) callback(lookupError(hostname, fitting, egress), '', 0);
        else if (options.all === true) callback(null, open);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

function lookupError(hostname: string, addresses: readonly LookupAddress[], egress: Egress): Error {
  const [rejected] = addresses;
  if (rejected !== undefined) return new EgressError(egress.rejectionOfAddress(rejected.address) ?? '');
  return Object.assign(new Error(`no address for ${hostname}`), { code: 'ENOTFOUND' });
}
