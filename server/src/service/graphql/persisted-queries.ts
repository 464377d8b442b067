/** Operations that are asked for by the SHA-256 of their text: those of query collections, and those clients have sent. */
import { ServiceError } from '../../base/errors.ts';
import type { Model } from '../../model/model.ts';
import { Lru } from '../../plan/document/cache.ts';
import { documentHash } from './operation-observer.ts';

export interface PersistedQueries {
  /**
   * The text that the hash stands for. With `query` it is that, and remembered. Throws where the hash is not known, in
   * the words that clients of the protocol wait for, or is that of another text.
   */
  find(hash: string, query: string | undefined): string;
}

const MOST_CHARACTERS = 20_000_000;
/** Longer ones are answered and not remembered: a few of them would push out all others. */
const LONGEST = 200_000;

/** At most `entries` texts of clients are kept, those that were used last. */
export function createPersistedQueries(model: () => Model, entries: number): PersistedQueries {
  const sent = new Lru<string>({ entries, weight: MOST_CHARACTERS });
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
      if (entries > 0 && query.length <= LONGEST) sent.set(hash, query, query.length);
      return query;
    },
  };
}

/** Made once for each model. */
const collections = new WeakMap<Model, ReadonlyMap<string, string>>();

function trusted(model: Model): ReadonlyMap<string, string> {
  const known = collections.get(model);
  if (known !== undefined) return known;
  const made = new Map(model.stored.texts.map((text) => [documentHash(text), text]));
  collections.set(model, made);
  return made;
}

function notFound(): ServiceError {
  const extensions = { code: 'PERSISTED_QUERY_NOT_FOUND', path: '$.extensions.persistedQuery.sha256Hash' };
  return new ServiceError('not-exists', 'PersistedQueryNotFound', { status: 200, extensions });
}
