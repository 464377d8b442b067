/** A proxy in front of a real PostgreSQL server: behaves like a pooler, cuts connections, or stops forwarding. */
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface ProxyBehaviour {
  /** What to do about startup parameters other than user and database. */
  readonly parameters?: 'pass' | 'ignore' | 'refuse';
  /** Keep notifications back, as a transaction pooler does. */
  readonly deaf?: boolean;
}

export interface Proxy {
  readonly url: string;
  /** Cancel requests that came through. */
  cancels(): number;
  /** Connections to the proxy that are open now. */
  connections(): number;
  /** Cuts every connection that is open now. */
  cut(): void;
  /**
   * Stops forwarding in both directions on every open connection, for good, and keeps the sockets open. `arriving` says
   * what happens to connections that are opened afterwards: `forwarded` at once, or `silent`, without forwarding, until
   * `restore` is called.
   */
  stall(arriving: 'forwarded' | 'silent'): void;
  /** Forwards what clients send, and drops what the server sends, on every open connection. */
  mute(): void;
  /** Forwards connections that are opened from now on. Stalled connections stay stalled. */
  restore(): void;
  close(): Promise<void>;
}

const protocol3 = 196_608;
const cancelRequest = 80_877_102;

/** `at`: the port to listen on; any free one without it. */
export async function startProxy(target: string, behaviour: ProxyBehaviour = {}, at = 0): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let cancels = 0;
  let arrivingSilent = false;

  const server: Server = createServer((client) => {
    if (arrivingSilent) {
      keepSilent(client);
      return;
    }
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.once('data', (packet) => {
      const code = packet.readInt32BE(4);
      if (code === cancelRequest) cancels += 1;
      if (code === protocol3 && behaviour.parameters === 'refuse' && extraParameters(packet).length > 0) {
        client.end(refusal(extraParameters(packet)[0] ?? ''));
        return;
      }
      upstream.write(code === protocol3 && behaviour.parameters === 'ignore' ? plainStartup(packet) : packet);
      client.pipe(upstream);
    });
    if (behaviour.deaf)
      upstream.on(
        'data',
        withoutNotifications((bytes) => client.write(bytes)),
      );
    else upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(target);
  const listening = typeof address === 'object' ? address?.port : undefined;
  url.port = String(listening ?? '');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  function keepSilent(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.resume();
  }
  return {
    url: url.href,
    cancels: () => cancels,
    connections: () => [...sockets].filter((socket) => socket.localPort === listening).length,
    cut,
    stall: (arriving) => {
      arrivingSilent = arriving === 'silent';
      for (const socket of sockets) {
        socket.unpipe();
        socket.removeAllListeners('data');
        socket.on('data', () => undefined);
        socket.resume();
      }
    },
    mute: () => {
      for (const socket of sockets) {
        if (socket.localPort === listening) continue;
        socket.unpipe();
        socket.resume();
      }
    },
    restore: () => {
      arrivingSilent = false;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}

const usual = new Set(['user', 'database', 'client_encoding', 'application_name']);

function parametersOf(packet: Buffer): [string, string][] {
  const texts = packet
    .subarray(8, packet.readInt32BE(0) - 2)
    .toString('utf8')
    .split('\0');
  return texts.flatMap((name, index) => (index % 2 === 0 ? [[name, texts[index + 1] ?? ''] as [string, string]] : []));
}

function extraParameters(packet: Buffer): string[] {
  return parametersOf(packet).flatMap(([name]) => (usual.has(name) ? [] : [name]));
}

function plainStartup(packet: Buffer): Buffer {
  const kept = parametersOf(packet).filter(([name]) => usual.has(name));
  const body = Buffer.from(`${kept.map(([name, text]) => `${name}\0${text}\0`).join('')}\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8, 0);
  head.writeInt32BE(protocol3, 4);
  return Buffer.concat([head, body]);
}

/** As PgBouncer words it. */
function refusal(parameter: string): Buffer {
  const body = Buffer.from(`SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: ${parameter}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Passes on whole messages of the server, all but NotificationResponse. */
function withoutNotifications(pass: (bytes: Buffer) => void): (chunk: Buffer) => void {
  let pending = Buffer.alloc(0);
  return (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 5 && pending.length >= 1 + pending.readInt32BE(1)) {
      const length = 1 + pending.readInt32BE(1);
      if (pending[0] !== 'A'.charCodeAt(0)) pass(pending.subarray(0, length));
      pending = pending.subarray(length);
    }
  };
}
