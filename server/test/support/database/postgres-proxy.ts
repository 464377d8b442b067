/** A TCP proxy in front of a server that behaves like a pooler of PostgreSQL, cuts or slows connections, or stops forwarding. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProxyOptions {
  /** Treatment of startup parameters other than user and database. */
  readonly parameters?: 'pass' | 'ignore' | 'reject';
  /** Whether notifications are dropped, as by a pooler in transaction mode. */
  readonly dropsNotifications?: boolean;
  /** Whether to cut the connection of the client instead of forwarding `data`: startup parameters or statements. */
  readonly cuts?: (data: string) => boolean;
  /** Whether responses to `data` and to all that follows on its connection are dropped. */
  readonly mutes?: (data: string) => boolean;
  /** Resolves when a cancel request is forwarded. */
  readonly cancelWhen?: () => Promise<void>;
}

export interface Proxy {
  readonly url: string;
  /** Returns the number of cancel requests that were forwarded. */
  cancels(): number;
  /** Returns the number of open connections to the proxy. */
  connections(): number;
  /** Destroys every open connection. */
  cut(): void;
  /**
   * Stops forwarding permanently, in both directions, on every open connection, and keeps the sockets open. Connections that
   * are opened afterwards are `forwarded`, or stay `silent` (open without forwarding) until `restore` is called.
   */
  stall(newConnections: 'forwarded' | 'silent'): void;
  /** Stops forwarding, in both directions, on every open connection until `resume` is called. Nothing is lost. */
  pause(): void;
  resume(): void;
  /** Forwards the data of clients and drops the data of the server on every open connection. */
  mute(): void;
  /** Forwards each part of the data, in both directions, after `ms` milliseconds, until `restore` is called. */
  delay(ms: number): void;
  /** Forwards the data byte by byte, in both directions, until `restore` is called. */
  drip(): void;
  /** Closes a connection without the response when the server responds to data that match, until `restore` is called. */
  dropResponses(statement: RegExp): void;
  /** Returns the number of responses that `dropResponses` has dropped. */
  droppedResponses(): number;
  /** Closes the sockets to clients, and keeps those to the server open without a peer until `cut` is called. */
  abandon(): void;
  /** Forwards connections that are opened from now on, without a delay, and all responses. Stalled connections stay stalled. */
  restore(): void;
  close(): Promise<void>;
}

const protocol3 = 196_608;
const cancelRequest = 80_877_102;

/** Starts a proxy on `listenPort`, by default on a free port. */
export async function startProxy(target: string, options: ProxyOptions = {}, listenPort = 0): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  /** Clients whose connections to the server stay open. */
  const abandoned = new Set<Socket>();
  let cancels = 0;
  let newConnectionsSilent = false;
  let unanswered: RegExp | undefined;
  let droppedResponses = 0;
  const speed: Speed = { delayMs: 0, byBytes: false };

  const server: Server = createServer((client) => {
    if (newConnectionsSilent) {
      keepSilent(client);
      return;
    }
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.setNoDelay(true);
      socket.on('close', () => {
        sockets.delete(socket);
        if (abandoned.delete(client)) return;
        client.destroy();
        upstream.destroy();
      });
    }
    const { cuts, mutes } = options;
    client.on('data', (data) => {
      const text = data.toString('latin1');
      if (mutes?.(text) === true) {
        upstream.unpipe();
        upstream.resume();
      }
      if (unanswered?.test(text) === true) dropResponse(client, upstream);
      if (cuts?.(text) !== true) return;
      client.destroy();
      upstream.destroy();
    });
    client.once('data', (packet) => {
      if (client.destroyed) return;
      const code = packet.readInt32BE(4);
      if (code === cancelRequest) cancels += 1;
      if (code === cancelRequest && options.cancelWhen !== undefined) {
        void options.cancelWhen().then(() => upstream.write(packet));
        return;
      }
      if (code === protocol3 && options.parameters === 'reject' && extraParameters(packet).length > 0) {
        client.end(startupError(extraParameters(packet)[0] ?? ''));
        return;
      }
      upstream.write(code === protocol3 && options.parameters === 'ignore' ? plainStartup(packet) : packet);
      client.pipe(atSpeed(speed)).pipe(upstream);
    });
    if (options.dropsNotifications)
      upstream.on(
        'data',
        withoutNotifications((bytes) => client.write(bytes)),
      );
    else upstream.pipe(atSpeed(speed)).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(listenPort, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(target);
  const listening = typeof address === 'object' ? address?.port : undefined;
  url.port = String(listening ?? '');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  /** Closes both sockets with the next data of the server. */
  function dropResponse(client: Socket, upstream: Socket): void {
    upstream.unpipe();
    upstream.once('data', () => {
      droppedResponses += 1;
      client.destroy();
      upstream.destroy();
    });
    upstream.resume();
  }
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
    stall: (newConnections) => {
      newConnectionsSilent = newConnections === 'silent';
      for (const socket of sockets) {
        socket.unpipe();
        socket.removeAllListeners('data');
        socket.on('data', () => undefined);
        socket.resume();
      }
    },
    pause: () => {
      for (const socket of sockets) socket.pause();
    },
    resume: () => {
      for (const socket of sockets) socket.resume();
    },
    mute: () => {
      for (const socket of sockets) {
        if (socket.localPort === listening) continue;
        socket.unpipe();
        socket.resume();
      }
    },
    delay: (ms) => {
      speed.delayMs = ms;
    },
    drip: () => {
      speed.byBytes = true;
    },
    dropResponses: (statement) => {
      unanswered = statement;
    },
    droppedResponses: () => droppedResponses,
    abandon: () => {
      for (const socket of sockets) {
        socket.unpipe();
        socket.removeAllListeners('data');
        socket.resume();
        if (socket.localPort !== listening) continue;
        abandoned.add(socket);
        socket.destroy();
      }
    },
    restore: () => {
      newConnectionsSilent = false;
      unanswered = undefined;
      Object.assign(speed, { delayMs: 0, byBytes: false });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}

interface Speed {
  delayMs: number;
  byBytes: boolean;
}

/** Forwards data at the present speed. */
function atSpeed(speed: Speed): Transform {
  return new Transform({
    async transform(chunk: Buffer, _encoding, done) {
      if (speed.delayMs > 0) await sleep(speed.delayMs);
      let sent = 0;
      for (; speed.byBytes && sent < chunk.length; sent++) {
        this.push(chunk.subarray(sent, sent + 1));
        await new Promise((resolve) => setImmediate(resolve));
      }
      done(null, chunk.subarray(sent));
    },
  });
}

const standardParameters = new Set(['user', 'database', 'client_encoding', 'application_name']);

function parametersOf(packet: Buffer): [string, string][] {
  const strings = packet
    .subarray(8, packet.readInt32BE(0) - 2)
    .toString('utf8')
    .split('\0');
  return strings.flatMap((name, index) =>
    index % 2 === 0 ? [[name, strings[index + 1] ?? ''] as [string, string]] : [],
  );
}

function extraParameters(packet: Buffer): string[] {
  return parametersOf(packet).flatMap(([name]) => (standardParameters.has(name) ? [] : [name]));
}

function plainStartup(packet: Buffer): Buffer {
  const parameters = parametersOf(packet).filter(([name]) => standardParameters.has(name));
  const body = Buffer.from(`${parameters.map(([name, text]) => `${name}\0${text}\0`).join('')}\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8, 0);
  head.writeInt32BE(protocol3, 4);
  return Buffer.concat([head, body]);
}

/** Returns the error message of PgBouncer. */
function startupError(parameter: string): Buffer {
  const body = Buffer.from(`SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: ${parameter}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Forwards complete messages of the server except NotificationResponse. */
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
