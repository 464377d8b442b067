/** Loopback hosts. */
import { isIP } from 'node:net';

/** Whether `host`, a name or an address without brackets, is always this machine. */
export function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  );
}
