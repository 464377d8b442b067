/** Persisted queries: operations by the SHA-256 of their text, from query collections and from clients. */
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../base/errors.ts';
import type { Model } from '../../model/model.ts';
import { documentHash } from './operation-observer.ts';

export interface PersistedQueries {
  /**
   * Returns the text of the hash, and caches `query` if given. Throws `PersistedQueryNotFound` for an unknown hash, as
   * clients of the protocol expect, and `bad-request` for the hash of another text.
   */
  find(hash: string, query: string | undefined): string;
}

const MAX_CHARACTERS = 20_000_000;
/** Longer texts are not cached: a few of them would evict all others. */
const MAX_LENGTH = 200_000;

/** Caches at most `entries` texts of clients, those used last. */
export function createPersistedQueries(model: () => Model, entries: number): PersistedQueries {
  // Without `max` the cache allocates nothing in advance for a large number of entries; the first entries are evicted below.
  const sent = new LRUCache<string, string>({ maxSize: MAX_CHARACTERS });
  return {
    find: (given, query) => {
      const hash = given.toLowerCase();
      if (query === undefined) {
        const found = trusted(model()).get(hash) ?? sent.get(hash);
        if (found === undefined) throw notFound();
        return found;
      }
      if (documentHash(query) !== hash) {
        throw new ServiceError('bad-request', 'provided sha does not match query', {
          path: '$.extensions.persistedQuery.sha256Hash',
        });
      }
      if (entries > 0 && query.length <= MAX_LENGTH) {
        sent.set(hash, query, { size: query.length + 1 });
        if (sent.size > entries) sent.pop();
      }
      return query;
    },
  };
}

/** The texts of query collections, built once for each model. */
const collections = new WeakMap<Model, ReadonlyMap<string, string>>();

function trusted(model: Model): ReadonlyMap<string, string> {
  const known = collections.get(model);
  if (known !== undefined) return known;
  const made = new Map(model.stored.documents.map((document) => [documentHash(document), document]));
  collections.set(model, made);
  return made;
}

function notFound(): ServiceError {
  const extensions = { code: 'PERSISTED_QUERY_NOT_FOUND', path: '$.extensions.persistedQuery.sha256Hash' };
  return new ServiceError('not-exists', 'PersistedQueryNotFound', { status: 200, extensions });
}
