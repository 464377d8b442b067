/** Opens a socket to a server: TCP or a Unix socket, with TLS where the target wants it. */
import { connect, type IpcNetConnectOpts, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { serialize } from 'pg-protocol';
import type { Target } from './target.ts';

/** Called with received bytes: the first `length` of `bytes`, which are valid during the call only. */
export type Receive = (bytes: Buffer, length: number) => void;

/** Milliseconds before TCP keep-alive probes. Node then probes ten times, once a second. */
const keepAliveDelayMs = 5_000;

/**
 * The buffer that all sockets without TLS read into. A read copies its bytes into it and passes them on at once, so that no
 * buffer is allocated for a read.
 */
const sharedBuffer = Buffer.allocUnsafeSlow(256 * 1024);

/**
 * Opens a socket. `created` is called with each socket at once, so that the caller can destroy it. Rejects with the error of
 * the socket or of TLS.
 */
export async function openSocket(target: Target, receive: Receive, created: (socket: Socket) => void): Promise<Socket> {
  if (target.tls === undefined) {
    const socket = connect({
      ...addressOf(target),
      onread: {
        buffer: sharedBuffer,
        callback: (length, bytes) => {
          receive(bytes as Buffer, length);
          return true;
        },
      },
    });
    guard(socket, created);
    await opened(socket, 'connect');
    return socket;
  }
  const plain = connect(addressOf(target));
  guard(plain, created);
  await opened(plain, 'connect');
  if (!target.directTls) await requestTls(plain);
  const socket = encrypt(plain, target);
  guard(socket, created);
  socket.on('data', (bytes: Buffer) => receive(bytes, bytes.length));
  await opened(socket, 'secureConnect');
  return socket;
}

/** Adds a listener for errors, without which an error between two steps would end the process. */
function guard(socket: Socket, created: (socket: Socket) => void): void {
  socket.on('error', () => undefined);
  created(socket);
}

function addressOf({ host, port }: Target): TcpNetConnectOpts | IpcNetConnectOpts {
  if (host.startsWith('/')) return { path: `${host}/.s.PGSQL.${port}` };
  return { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveDelayMs };
}

/** Resolves on `event`. Rejects with the error of the socket. */
function opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => reject(error);
    const closed = (): void => reject(new Error('Connection terminated unexpectedly'));
    socket.once('error', failed).once('close', closed);
    socket.once(event, () => {
      socket.off('error', failed).off('close', closed);
      resolve();
    });
  });
}

/** Requests TLS. Rejects where the server does not support it. */
function requestTls(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      socket.off('error', settle).off('close', closed).off('data', responded);
      if (error === undefined) {
        resolve();
        return;
      }
      socket.destroy();
      reject(error);
    };
    const closed = (): void => settle(new Error('Connection terminated unexpectedly'));
    // More than one byte would be data that an attacker sent before the handshake.
    const responded = (bytes: Buffer): void => {
      const response = bytes.toString('latin1');
      if (response === 'S') settle();
      else if (response === 'N') settle(new Error('The server does not support SSL connections'));
      else settle(new Error('There was an error establishing an SSL connection'));
    };
    socket.on('error', settle).on('close', closed).on('data', responded);
    socket.write(serialize.requestSsl());
  });
}

function encrypt(socket: Socket, { host, tls, directTls }: Target): TLSSocket {
  return connectTls({
    socket,
    host,
    // A name is required for SNI, which does not permit addresses (RFC 6066).
    ...(isIP(host) === 0 && { servername: host }),
    ...(directTls && { ALPNProtocols: ['postgresql'] }),
    ...tls,
  });
}
