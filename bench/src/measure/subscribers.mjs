// Subscribers of one live query, each with another row and a socket of its own.
import WebSocket from 'ws';

export class Subscribers {
  #url;
  #query;
  #count;
  #sockets = [];
  #waiting = new Set();
  #allReceived = () => undefined;
  /** Called with the id of the row for each result. */
  received = () => undefined;

  /** `query` has the variable `id`, which is from 1 to `count`. */
  constructor(url, query, count) {
    this.#url = url;
    this.#query = query;
    this.#count = count;
  }

  /** Connects all, 100 at a time. Resolves when each has its first result. */
  async connect() {
    for (let from = 1; from <= this.#count; from += 100) {
      const wave = Array.from({ length: Math.min(100, this.#count + 1 - from) }, (_, index) => from + index);
      const received = this.#receivedBy(wave);
      for (const id of wave) this.#open(id);
      await received;
    }
  }

  /** Resolves with the time of `performance.now()` when every subscriber has received one more result. */
  nextResults() {
    return this.#receivedBy(Array.from({ length: this.#count }, (_, index) => index + 1));
  }

  leave() {
    for (const socket of this.#sockets) socket.terminate();
  }

  #receivedBy(ids) {
    this.#waiting = new Set(ids);
    return new Promise((resolve) => {
      this.#allReceived = () => resolve(performance.now());
    });
  }

  #open(id) {
    const socket = new WebSocket(this.#url, 'graphql-transport-ws');
    this.#sockets.push(socket);
    socket.on('open', () => socket.send('{"type":"connection_init"}'));
    socket.on('message', (message) => this.#receive(socket, id, String(message)));
  }

  #receive(socket, id, text) {
    if (text.includes('"connection_ack"')) {
      const payload = { query: this.#query, variables: { id } };
      socket.send(JSON.stringify({ id: String(id), type: 'subscribe', payload }));
    }
    if (text.includes('"error')) throw new Error(`a subscriber received ${text.slice(0, 500)}`);
    if (!text.includes('"next"')) return;
    this.received(id);
    if (this.#waiting.delete(id) && this.#waiting.size === 0) this.#allReceived();
  }
}

/** Times from changes of rows to the messages of their subscribers, in milliseconds. */
export class Delays {
  #changed = new Map();
  #delays = [];

  /** Called when the change of a row was committed. An earlier change that was not received counts. */
  changed(id, at = performance.now()) {
    if (!this.#changed.has(id)) this.#changed.set(id, at);
  }

  received(id) {
    const at = this.#changed.get(id);
    if (at === undefined) return;
    this.#changed.delete(id);
    this.#delays.push(performance.now() - at);
  }

  /** The number of changes whose message has not arrived. */
  get missing() {
    return this.#changed.size;
  }

  summary() {
    const sorted = this.#delays.toSorted((one, other) => one - other);
    const at = (share) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);
    return { count: sorted.length, p50: at(0.5), p99: at(0.99), most: at(1) };
  }
}
