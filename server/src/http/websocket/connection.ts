/** The session of a websocket and the operations that it opens; used by both protocols. */

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import type { Headers, Session } from '../../auth/session.ts';
import { graphqlError, ServiceError, toServiceError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json-value.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { PersistedQueries } from '../../service/graphql/persisted-queries.ts';
import { OperationRejected, type OperationStreams, type ResultStream } from '../../service/graphql/result-streams.ts';
import { toRequest } from '../graphql-request.ts';
import { type HttpSettings, showsInternal } from '../settings.ts';
import type { ClientSocket } from './client-socket.ts';

export interface ConnectionParts {
  readonly persisted?: PersistedQueries;
  readonly subscriber: OperationStreams;
  readonly observe: Observe;
}

/** Longest delay of a timer in milliseconds. */
const MAX_DELAY_MS = 2 ** 31 - 1;

export class Connection {
  readonly #upgrade: Headers;
  readonly #address: string | undefined;
  readonly #socket: ClientSocket;
  readonly #parts: ConnectionParts;
  readonly #settings: HttpSettings;
  readonly #relay: boolean;
  readonly #id = randomUUID();
  #admitted: { readonly session: Session; readonly headers: Headers } | undefined;
  #expiry: NodeJS.Timeout | undefined;

  /** `upgrade`: the request that opened the socket. `relay`: whether its operations are of the Relay schema. */
  constructor(
    upgrade: IncomingMessage,
    socket: ClientSocket,
    parts: ConnectionParts,
    settings: HttpSettings,
    relay = false,
  ) {
    this.#upgrade = upgrade.headers;
    this.#address = addressOf(upgrade, settings.trustedProxies);
    this.#socket = socket;
    this.#parts = parts;
    this.#settings = settings;
    this.#relay = relay;
  }

  /** Whether the connection is authenticated. */
  get isAdmitted(): boolean {
    return this.#admitted !== undefined;
  }

  /**
   * Authenticates with the payload of `connection_init`: its `headers` override those of the request that opened the
   * socket. Rejects with a ServiceError if authentication fails.
   */
  async admit(payload: unknown): Promise<void> {
    const headers = { ...this.#upgrade, ...headersOf(payload) };
    this.#settings.consoleSignIn?.cookies.copy(this.#upgrade, headers);
    try {
      const session = await this.#settings.authenticate(headers);
      this.#admitted = { session, headers };
      if (session.expiresAt !== undefined) this.#closeAt(session.expiresAt);
    } catch (thrown) {
      const error = toServiceError(thrown);
      this.#parts.observe({ kind: 'refused', requestId: this.#id, error });
      throw error;
    }
  }

  #closeAt(time: number): void {
    const left = time - Date.now();
    if (left <= 0) {
      this.#socket.close(4403, 'the session has expired');
      return;
    }
    this.#expiry = setTimeout(() => this.#closeAt(time), Math.min(left, MAX_DELAY_MS));
  }

  /** Begins an operation beside `others` that are under way. Throws an OperationRejected. */
  open(payload: unknown, others: number): ResultStream {
    const { subscriber, persisted } = this.#parts;
    try {
      if (this.#admitted === undefined) {
        throw new ServiceError('access-denied', 'an operation was sent before connection_init was acknowledged');
      }
      const most = this.#settings.websocket.maxOperations;
      if (others >= most) {
        const message = `there are ${most} operations on this connection already; end one, or open another connection`;
        throw new ServiceError('bad-request', message);
      }
      const { session, headers } = this.#admitted;
      return subscriber.open(toRequest(payload, persisted), {
        session,
        headers,
        requestId: this.#id,
        showInternal: showsInternal(this.#settings, session.role),
        address: this.#address,
        queriesOnly: false,
        relay: this.#relay,
        flowing: () => this.#socket.flowing,
      });
    } catch (thrown) {
      if (thrown instanceof OperationRejected) throw thrown;
      const error = toServiceError(thrown);
      this.#parts.observe({ kind: 'refused', requestId: this.#id, error });
      throw new OperationRejected([graphqlError(error, showsInternal(this.#settings, this.#admitted?.session.role))]);
    }
  }

  /** Called when the socket is closed. */
  closed(): void {
    clearTimeout(this.#expiry);
  }
}

/** Returns the headers of a payload `{ headers: { name: value } }`, with names in lower case and values as strings. */
function headersOf(payload: unknown): Headers {
  const headersMember = isJsonObject(payload) && isJsonObject(payload.headers) ? payload.headers : {};
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(headersMember)) {
    if (value !== null && value !== undefined && typeof value !== 'object') headers[name.toLowerCase()] = String(value);
  }
  return headers;
}

/** Returns the address by the rules of Fastify's `request.ip`; undefined if the connection is closed. */
function addressOf(request: IncomingMessage, trusted: readonly string[] | undefined): string | undefined {
  if (trusted === undefined || request.socket.remoteAddress === undefined) return request.socket.remoteAddress;
  return proxyAddress(request, proxyAddress.compile([...trusted]));
}
