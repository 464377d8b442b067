/** A cache of introspection results, of which all schemas together have a limited share of memory. */
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createDeflate, inflateSync } from 'node:zlib';
import type { GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';

/** Bytes of all cached results. That of 7,000 types takes 8 MB, and 0.4 MB compressed. */
const MOST_BYTES = 32_000_000;

/** Shorter texts are not compressed. */
const SHORTEST_COMPRESSED = 50_000;

export class IntrospectionTexts {
  readonly #texts = new LRUCache<string, string | Buffer>({
    maxSize: MOST_BYTES,
    sizeCalculation: (text, key) => text.length + key.length,
  });
  readonly #pending = new Map<string, Promise<string>>();
  readonly #prefixes = new WeakMap<GraphQLSchema, string>();
  #schemas = 0;

  get(schema: GraphQLSchema, key: string): string | undefined {
    const found = this.#texts.get(this.#keyOf(schema, key));
    return typeof found === 'string' ? found : found && inflateSync(found).toString();
  }

  /** Returns the text that `create` returns. Callers at the same time share it. */
  once(schema: GraphQLSchema, key: string, create: () => Promise<string>): Promise<string> {
    const own = this.#keyOf(schema, key);
    const pending = this.#pending.get(own) ?? create().finally(() => this.#pending.delete(own));
    this.#pending.set(own, pending);
    return pending;
  }

  /** `chunks`: the text as UTF-8. */
  set(schema: GraphQLSchema, key: string, text: string, chunks: readonly Buffer[]): void {
    const own = this.#keyOf(schema, key);
    this.#texts.set(own, text);
    if (text.length < SHORTEST_COMPRESSED) return;
    // A text that is larger than the cache fits when it is compressed. Without memory for that, it remains as it is.
    const isCached = () => text.length > MOST_BYTES || this.#texts.has(own);
    compress(chunks)
      .then((bytes) => isCached() && this.#texts.set(own, bytes))
      .catch(() => undefined);
  }

  #keyOf(schema: GraphQLSchema, key: string): string {
    const prefix = this.#prefixes.get(schema) ?? `${this.#schemas++} `;
    this.#prefixes.set(schema, prefix);
    return prefix + key;
  }
}

function compress(chunks: readonly Buffer[]): Promise<Buffer> {
  return pipeline(chunks, createDeflate({ level: 1 }), (compressed) => buffer(compressed));
}
