import { SourceName } from '@joinery/metadata/names';
import { expect, test } from 'vitest';
import { typeOf } from '../../test/support/model/catalog.ts';
import { ServiceError } from '../base/errors.ts';
import type { Catalog } from '../postgres/catalog/catalog-types.ts';
import { recordCatalogs } from './recorded-catalogs.ts';

const source = SourceName.parse('default');
const catalog = (more: Partial<Catalog> = {}): Catalog => ({
  version: 180000,
  types: new Map([
    [1, typeOf(1, 'one')],
    [2, typeOf(2, 'two')],
  ]),
  relations: new Map(),
  functions: new Map(),
  extensions: new Map(),
  ...more,
});
const of = (read: Catalog | ServiceError) => new Map([[source, read]]);

function recorded(use: (catalog: Catalog) => unknown, own = catalog()) {
  const made = recordCatalogs(of(own));
  const found = made.catalogs.get(source);
  if (found === undefined || found instanceof ServiceError) throw new Error('expected a catalog');
  use(found);
  return made;
}

test('catalogs fit where all entries that were read are equal', () => {
  const { fits } = recorded(({ types }) => types.get(1));
  expect(fits(of(catalog()))).toBe(true);
  expect(fits(of(catalog({ types: new Map([[1, typeOf(1, 'one')]]) })))).toBe(true);
  expect(fits(of(catalog({ types: new Map([[1, typeOf(1, 'other')]]) })))).toBe(false);
  expect(fits(of(catalog({ types: new Map() })))).toBe(false);
});

test('an entry that was read and did not exist must not exist', () => {
  const { fits } = recorded(({ types }) => types.get(3));
  expect(fits(of(catalog()))).toBe(true);
  expect(fits(of(catalog({ types: new Map([[3, typeOf(1, 'three')]]) })))).toBe(false);
});

test.each([
  ['its entries', (read: Catalog) => [...read.types]],
  ['its size', (read: Catalog) => read.types.size],
  ['its values', (read: Catalog) => read.types.values()],
])('a map of which %s were read must be equal as a whole', (_what, use) => {
  const { fits } = recorded(use);
  expect(fits(of(catalog()))).toBe(true);
  expect(fits(of(catalog({ types: new Map([[1, typeOf(1, 'one')]]) })))).toBe(false);
});

test('other members must be equal', () => {
  const { fits } = recorded(() => undefined);
  expect(fits(of(catalog({ version: 170000 })))).toBe(false);
  expect(fits(of(catalog({ readsSession: true })))).toBe(false);
  expect(fits(of(catalog({ enumValues: new Map() })))).toBe(false);
  expect(fits(of(catalog({ queries: new Map() })))).toBe(false);
});

test('a source that was added, removed or cannot be read does not fit', () => {
  const { fits } = recorded(() => undefined);
  const failed = new ServiceError('busy', 'not reachable');
  expect(fits(new Map())).toBe(false);
  expect(fits(new Map([...of(catalog()), [SourceName.parse('other'), catalog()]]))).toBe(false);
  expect(fits(of(failed))).toBe(false);
  const broken = recordCatalogs(of(failed));
  expect(broken.fits(of(failed))).toBe(true);
  expect(broken.fits(of(new ServiceError('busy', 'not reachable')))).toBe(false);
});
