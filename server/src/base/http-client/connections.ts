/** The connections to origins: as many to each as it has concurrent calls, up to a limit. */
import type { Client, Dispatcher } from 'undici';

/** The handler of one call. */
export interface Exchange extends Dispatcher.DispatchHandler {
  readonly request: Dispatcher.DispatchOptions;
  /** The connection of the exchange. Undefined before it has one, and after its end. */
  client: Client | undefined;
  onResponseError(controller: unknown, error: Error): void;
}

/**
 * The connections to one origin, each for one call at a time. The pool of undici opens a further connection where the previous
 * response of the others has just ended, and goes through all of them for each call.
 */
export class OriginConnections {
  readonly #open: () => Client;
  readonly #most: number;
  readonly #onEmpty: () => void;
  readonly #all = new Set<Client>();
  /** The client that was used last is the last one, so that connections that are not needed become idle and are closed. */
  readonly #free: Client[] = [];
  readonly #waiting = new Set<Exchange>();

  /**
   * @param open returns a client with one connection, which it makes for its first request, and again after it was closed
   * @param most maximum number of connections
   * @param onEmpty is called when there is neither a connection nor a call
   */
  constructor(open: () => Client, most: number, onEmpty: () => void) {
    this.#open = open;
    this.#most = most;
    this.#onEmpty = onEmpty;
  }

  /** Starts the exchange as soon as there is a connection for it. */
  add(exchange: Exchange): void {
    const client = this.#free.pop();
    if (client === undefined) {
      this.#waiting.add(exchange);
      this.#openMissing();
    } else {
      start(client, exchange);
    }
  }

  /** Ends an exchange whose response is complete. */
  release(exchange: Exchange): void {
    const { client } = exchange;
    if (client === undefined) return;
    exchange.client = undefined;
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      start(client, next);
      return;
    }
    this.#free.push(client);
  }

  /** Ends an exchange without a complete response. Closes its connection. */
  cancel(exchange: Exchange): void {
    const { client } = exchange;
    exchange.client = undefined;
    this.#waiting.delete(exchange);
    if (client !== undefined) this.#remove(client);
    // Not at once: the client may be failing its request.
    if (this.#waiting.size > 0) queueMicrotask(() => this.#openMissing());
    else this.#checkEmpty();
  }

  async close(error: Error): Promise<void> {
    for (const exchange of this.#waiting) exchange.onResponseError(undefined, error);
    await Promise.all(Array.from(this.#all, (client) => client.destroy(error)));
  }

  #openMissing(): void {
    for (const exchange of this.#waiting) {
      if (this.#all.size >= this.#most) return;
      this.#waiting.delete(exchange);
      const client = this.#open();
      this.#all.add(client);
      client.on('disconnect', () => this.#onDisconnect(client));
      start(client, exchange);
    }
  }

  /** A client whose exchange waits for its connection opens another one itself. */
  #onDisconnect(client: Client): void {
    const at = this.#free.indexOf(client);
    if (at < 0) return;
    this.#free.splice(at, 1);
    this.#remove(client);
    this.#checkEmpty();
  }

  #remove(client: Client): void {
    if (this.#all.delete(client)) void client.destroy();
  }

  #checkEmpty(): void {
    if (this.#all.size === 0 && this.#waiting.size === 0) this.#onEmpty();
  }
}

function start(client: Client, exchange: Exchange): void {
  exchange.client = client;
  client.dispatch(exchange.request, exchange);
}
