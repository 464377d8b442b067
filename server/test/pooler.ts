/** The pooler of a test run, and which tests run through it: JOINERY_TEST_POOLER=pgbouncer, see global-setup.ts. */

/** A database of the tests' server through the pooler, where the tests run with one; any other URL as it is. */
export function pooled(url: string): string {
  const { JOINERY_TEST_POOLER_ADDRESS: address, JOINERY_TEST_DATABASE_URL: server } = process.env;
  if (address === undefined || server === undefined || !URL.canParse(url)) return url;
  const changed = new URL(url);
  if (changed.host !== new URL(server).host) return url;
  changed.host = address;
  return changed.href;
}
