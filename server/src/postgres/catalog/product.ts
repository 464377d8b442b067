/** Databases that speak the protocol of PostgreSQL and lack what parts of the service need. */
import { ServiceError } from '../../base/errors.ts';
import type { Query } from '../client/statement-run.ts';

export type OtherProduct = 'CockroachDB' | 'YugabyteDB' | 'Amazon Redshift';

/** Parts of the text of `version()`. */
const products: readonly (readonly [RegExp, OtherProduct])[] = [
  [/^CockroachDB /, 'CockroachDB'],
  [/^PostgreSQL \S+-YB-/, 'YugabyteDB'],
  [/\bRedshift\b/, 'Amazon Redshift'],
];

/** Returns the product by the text of `version()`; undefined for PostgreSQL and what is built from it. */
export function productOf(version: string): OtherProduct | undefined {
  return products.find(([pattern]) => pattern.test(version))?.[1];
}

/** Reads the product of the server. Rejects with the error of the statement. */
export async function readProduct(query: Query): Promise<OtherProduct | undefined> {
  const { rows } = await query({ text: 'select version()', values: [] });
  return productOf(rows[0]?.[0] ?? '');
}

/** Throws `invalid-configuration` for another product. `purpose` is what needs PostgreSQL: `the schema joinery`. */
export function requirePostgres(product: OtherProduct | undefined, purpose: string): void {
  if (product === undefined) return;
  throw new ServiceError(
    'invalid-configuration',
    `${purpose} needs PostgreSQL, and the database is ${product}, which differs in what guarantees delivery: notifications, advisory locks, statement triggers or row locks. See /docs/databases`,
  );
}
