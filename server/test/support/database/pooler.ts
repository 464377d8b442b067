/** Which tests run once more through PgBouncer in transaction mode, and which do not, and why. See global-setup.ts. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A database of the tests' server through the pooler, where the tests run with one; any other URL as it is. */
export function pooled(url: string): string {
  const { JOINERY_TEST_POOLER_ADDRESS: address, JOINERY_TEST_DATABASE_URL: server } = process.env;
  if (address === undefined || server === undefined || !URL.canParse(url)) return url;
  const changed = new URL(url);
  if (changed.host !== new URL(server).host) return url;
  changed.host = address;
  return changed.href;
}

/** Tests that start a service, or its delivery of events, and have nothing to learn from a pooler. */
export const withoutPooler: Readonly<Record<string, string>> = {
  'server/test/events/delivery/plans.test.ts': 'asks PostgreSQL itself what its statements read; it starts no service',
  'server/test/events/delivery/retention.test.ts': 'runs the statements of the upkeep by hand; it starts no service',
  'server/test/events/commands/search.test.ts': 'asks the database by hand; it starts no service',
  'server/test/remote-schemas/restart.test.ts': 'is about upstreams that come and go; it waits for them for a minute',
  'server/test/security/secret-comparison.test.ts': 'measures how long the comparison of a secret takes',
  'server/test/security/flood.test.ts': 'measures the memory of a node under 20,000 refused requests',
  'cli/test/help.test.ts': 'is about what the command prints; it reaches no database',
};

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Every test of the server and the command that reaches its database by `pooled`, but those above; paths from the root. */
export function poolerTests(): readonly string[] {
  return ['server/test', 'cli/test', 'compatibility/test']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((path) => path.endsWith('.test.ts') && !(path in withoutPooler) && reaches(join(root, path), new Set()));
}

const self = fileURLToPath(import.meta.url);

/** Does the file import this one, by whatever ways? */
function reaches(path: string, seen: Set<string>): boolean {
  if (path === self) return true;
  if (seen.has(path)) return false;
  seen.add(path);
  const imports = readFileSync(path, 'utf8').matchAll(/^(?:import .*|\} )from '(\.{1,2}\/[^']+\.ts)';$/gm);
  return [...imports].some(([, name = '']) => {
    const imported = join(dirname(path), name);
    // What the service is made of knows nothing of tests.
    return !relative(root, imported).includes('/src/') && reaches(imported, seen);
  });
}
