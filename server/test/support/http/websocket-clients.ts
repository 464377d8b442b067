/** Websocket clients that send and receive plain frames of both protocols. */
import WebSocket from 'ws';

export type Frame = Readonly<Record<string, unknown>>;

export interface FrameClient {
  send(frame: unknown): void;
  /** Returns the next frame that is no heartbeat. Rejects if the socket closes first. */
  next(): Promise<Frame>;
  /** Returns the next frame, heartbeats included. */
  nextOfAny(): Promise<Frame>;
  /** Received frames that were not read. */
  readonly unread: readonly Frame[];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly socket: WebSocket;
  close(): Promise<void>;
}

export interface ClientOptions {
  readonly protocol?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
}

/** Opens a socket to the service at the URL without sending a frame. */
export async function frameClient(url: string, options: ClientOptions = {}): Promise<FrameClient> {
  const { protocol = 'graphql-transport-ws', headers = {}, path = '/v1/graphql' } = options;
  const socket = new WebSocket(url.replace(/^http/, 'ws') + path, protocol === '' ? [] : [protocol], { headers });
  const unread: Frame[] = [];
  const readers: { resolve(frame: Frame): void; reject(error: Error): void }[] = [];
  let closeError: Error | undefined;
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      closeError = new Error(`the socket was closed: ${code} ${reason}`);
      for (const reader of readers.splice(0)) reader.reject(closeError);
      resolve({ code, reason: String(reason) });
    });
  });
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data)) as Frame;
    const reader = readers.shift();
    if (reader === undefined) unread.push(frame);
    else reader.resolve(frame);
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);
  const nextOfAny = (): Promise<Frame> => {
    const frame = unread.shift();
    if (frame !== undefined) return Promise.resolve(frame);
    if (closeError !== undefined) return Promise.reject(closeError);
    return new Promise((resolve, reject) => readers.push({ resolve, reject }));
  };
  return {
    send: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    next: async () => {
      for (;;) {
        const frame = await nextOfAny();
        if (frame.type !== 'ka' && frame.type !== 'ping') return frame;
      }
    },
    nextOfAny,
    unread,
    closed,
    socket,
    close: async () => {
      socket.close();
      await closed;
    },
  };
}

/** Opens a socket and initializes the connection with these headers. */
export async function connectedClient(
  url: string,
  headers: unknown = {},
  options: ClientOptions = {},
): Promise<FrameClient> {
  const client = await frameClient(url, options);
  client.send({ type: 'connection_init', payload: { headers } });
  const frame = await client.next();
  if (frame.type !== 'connection_ack') throw new Error(`the connection was rejected: ${JSON.stringify(frame)}`);
  return client;
}
