/** Records which entries of the catalogs a model is resolved from: a change of other entries needs no other model. */
import { isDeepStrictEqual } from 'node:util';
import type { SourceName } from '@joinery/metadata/names';
import { ServiceError } from '../base/errors.ts';
import type { Catalog } from '../postgres/catalog/catalog-types.ts';
import type { ResolveInput } from './types/draft.ts';

type Catalogs = ResolveInput['catalogs'];

export interface RecordedCatalogs {
  /** The catalogs, for `resolve`. */
  readonly catalogs: Catalogs;
  /** Whether `next` has the same in everything that was read. */
  fits(next: Catalogs): boolean;
}

export function recordCatalogs(catalogs: Catalogs): RecordedCatalogs {
  const checks = new Map<SourceName, (next: Catalog) => boolean>();
  const recorded = new Map<SourceName, Catalog | ServiceError>();
  for (const [name, read] of catalogs) {
    if (read instanceof ServiceError) {
      recorded.set(name, read);
      continue;
    }
    const { catalog, fits } = recordCatalog(read);
    recorded.set(name, catalog);
    checks.set(name, fits);
  }
  return {
    catalogs: recorded,
    fits: (next) =>
      next.size === catalogs.size &&
      [...catalogs].every(([name, read]) => {
        const other = next.get(name);
        if (other === undefined || other instanceof ServiceError) return other === read;
        return checks.get(name)?.(other) === true;
      }),
  };
}

function recordCatalog(catalog: Catalog) {
  const { types, relations, functions, extensions, enumValues, queries, ...rest } = catalog;
  const recorded = {
    types: new RecordedMap(types),
    relations: new RecordedMap(relations),
    functions: new RecordedMap(functions),
    extensions: new RecordedMap(extensions),
    ...(enumValues && { enumValues: new RecordedMap(enumValues) }),
    ...(queries && { queries: new RecordedMap(queries) }),
  };
  const fits = (next: Catalog): boolean => {
    const { types, relations, functions, extensions, enumValues, queries, ...nextRest } = next;
    return (
      isDeepStrictEqual(rest, nextRest) &&
      recorded.types.fits(types) &&
      recorded.relations.fits(relations) &&
      recorded.functions.fits(functions) &&
      recorded.extensions.fits(extensions) &&
      (recorded.enumValues?.fits(enumValues) ?? enumValues === undefined) &&
      (recorded.queries?.fits(queries) ?? queries === undefined)
    );
  };
  return { catalog: { ...rest, ...recorded }, fits };
}

/** A map that records the entries that are read from it. */
class RecordedMap<Key, Value> implements ReadonlyMap<Key, Value> {
  readonly #source: ReadonlyMap<Key, Value>;
  readonly #read = new Map<Key, Value | undefined>();
  #whole = false;

  constructor(source: ReadonlyMap<Key, Value>) {
    this.#source = source;
  }

  fits(next: ReadonlyMap<Key, Value> | undefined): boolean {
    if (next === undefined) return false;
    if (this.#whole) return isDeepStrictEqual(this.#source, next);
    for (const [key, value] of this.#read) {
      const other = next.get(key);
      if (other !== value && !isDeepStrictEqual(other, value)) return false;
    }
    return true;
  }

  get(key: Key): Value | undefined {
    const value = this.#source.get(key);
    this.#read.set(key, value);
    return value;
  }

  has(key: Key): boolean {
    return this.get(key) !== undefined;
  }

  get size(): number {
    return this.#all().size;
  }

  forEach(callback: (value: Value, key: Key, map: ReadonlyMap<Key, Value>) => void): void {
    this.#all().forEach(callback);
  }

  entries() {
    return this.#all().entries();
  }

  keys() {
    return this.#all().keys();
  }

  values() {
    return this.#all().values();
  }

  [Symbol.iterator]() {
    return this.entries();
  }

  #all(): ReadonlyMap<Key, Value> {
    this.#whole = true;
    return this.#source;
  }
}
