/** Who is at the other end of a socket, and the operations it may open; both protocols speak to it. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Headers, Session } from '../../auth/session.ts';
import { graphqlError, ServiceError, toServiceError } from '../../base/errors.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { PersistedQueries } from '../../service/graphql/persisted-queries.ts';
import { OperationRejected, type OperationStreams, type ResultStream } from '../../service/graphql/result-streams.ts';
import { toRequest } from '../graphql-request.ts';
import { type HttpSettings, showsInternal } from '../settings.ts';
import { addressOf } from './caller-address.ts';
import type { ClientSocket } from './client-socket.ts';

export interface ConnectionParts {
  readonly persisted?: PersistedQueries;
  readonly subscriber: OperationStreams;
  readonly observe: Observe;
}

/** Longest that a timer can wait, in milliseconds. */
const FAR = 2 ** 31 - 1;

export class Connection {
  readonly #upgrade: Headers;
  readonly #address: string | undefined;
  readonly #socket: ClientSocket;
  readonly #parts: ConnectionParts;
  readonly #settings: HttpSettings;
  readonly #id = randomUUID();
  #admitted: { readonly session: Session; readonly headers: Headers } | undefined;
  #expiry: NodeJS.Timeout | undefined;

  /** `upgrade` is the request that opened the socket. */
  constructor(upgrade: IncomingMessage, socket: ClientSocket, parts: ConnectionParts, settings: HttpSettings) {
    this.#upgrade = upgrade.headers;
    this.#address = addressOf(upgrade, settings.trustedProxies);
    this.#socket = socket;
    this.#parts = parts;
    this.#settings = settings;
  }

  /** Whether the caller has a session. */
  get isAdmitted(): boolean {
    return this.#admitted !== undefined;
  }

  /**
   * Reads the session from the payload of `connection_init`: its `headers` count like headers of the request, and win
   * over those of the request that opened the socket. Rejects with a ServiceError for whoever is not let in.
   */
  async admit(payload: unknown): Promise<void> {
    const headers = { ...this.#upgrade, ...headersOf(payload) };
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
    this.#expiry = setTimeout(() => this.#closeAt(time), Math.min(left, FAR));
  }

  /** Begins an operation beside `others` that are under way. Throws an OperationRejected. */
  open(payload: unknown, others: number): ResultStream {
    const { subscriber, persisted } = this.#parts;
    try {
      if (this.#admitted === undefined) {
        throw new ServiceError('access-denied', 'an operation was sent before connection_init was answered');
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
        flowing: () => this.#socket.flowing,
      });
    } catch (thrown) {
      if (thrown instanceof OperationRejected) throw thrown;
      const error = toServiceError(thrown);
      this.#parts.observe({ kind: 'refused', requestId: this.#id, error });
      throw new OperationRejected([graphqlError(error, showsInternal(this.#settings, this.#admitted?.session.role))]);
    }
  }

  /** The socket is closed. */
  gone(): void {
    clearTimeout(this.#expiry);
  }
}

/** `{ headers: { name: value } }`; names in lower case, values as text. */
function headersOf(payload: unknown): Headers {
  const written = isObject(payload) && isObject(payload.headers) ? payload.headers : {};
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(written)) {
    if (value !== null && value !== undefined && typeof value !== 'object') headers[name.toLowerCase()] = String(value);
  }
  return headers;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
