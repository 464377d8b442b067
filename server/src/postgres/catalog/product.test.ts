import { expect, test } from 'vitest';
import { productOf } from './product.ts';

test.each([
  ['CockroachDB CCL v26.1.0 (x86_64-pc-linux-gnu, built 2026/02/02, go1.25.1)', 'CockroachDB'],
  [
    'PostgreSQL 15.2-YB-2.25.0.0-b0 on aarch64-unknown-linux-gnu, compiled by clang version 17.0.6, 64-bit',
    'YugabyteDB',
  ],
  [
    'PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2 20041017, Redshift 1.0.77467',
    'Amazon Redshift',
  ],
  ['PostgreSQL 18.4 on x86_64-pc-linux-gnu, compiled by gcc 12.2.0, 64-bit', undefined],
  ['PostgreSQL 14.23 (Debian 14.23-1.pgdg12+1) on x86_64-pc-linux-gnu, compiled by gcc 12.2.0, 64-bit', undefined],
])('the version %j is that of %s', (version, product) => {
  expect(productOf(version)).toBe(product);
});
