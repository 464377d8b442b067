/** The tests that also run through PgBouncer in transaction mode, and the exceptions with their reasons. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns the URL of the database through the pooler if the run has one; URLs of other servers unchanged. */
export function pooled(url: string): string {
  const { JOINERY_TEST_POOLER_ADDRESS: address, JOINERY_TEST_DATABASE_URL: server } = process.env;
  if (address === undefined || server === undefined || !URL.canParse(url)) return url;
  const changed = new URL(url);
  if (changed.host !== new URL(server).host) return url;
  changed.host = address;
  return changed.href;
}

/** Tests of services or of event delivery that do not depend on the connection to the database. */
export const withoutPooler: Readonly<Record<string, string>> = {
  'server/test/events/delivery/rows-read.test.ts': 'counts the rows that statements read; starts no service',
  'server/test/events/delivery/retention.test.ts': 'runs the statements of retention; starts no service',
  'server/test/events/commands/log-plans.test.ts': 'reads the plans of statements; starts no service',
  'server/test/events/commands/search.test.ts': 'calls the functions of the schema; starts no service',
  'server/test/events/triggers/notifications.test.ts':
    'ends the connection of its listener; behind a pooler there is none',
  'server/test/events/triggers/privileges.test.ts':
    'connects as roles and read-only by startup parameters, which PgBouncer rejects',
  'server/test/operations/query-tags.test.ts':
    'lists the prepared statements of its connection; a pooler has several connections',
  'server/test/remote-schemas/restart.test.ts': 'tests remote schemas that stop and restart',
  'server/test/security/secret-comparison.test.ts': 'compares secrets; reaches no database',
  'server/test/consistency/consistency.test.ts': 'connects through a proxy of its own that fails',
  'server/test/consistency/processes.test.ts': 'connects through a proxy of its own that fails',
  'server/test/consistency/clock.test.ts': 'compares clocks of nodes with that of the database',
  'server/test/consistency/disk.test.ts': 'starts a server of its own, whose disk becomes full',
  'server/test/consistency/memory.test.ts': 'ends nodes that lack memory',
  'server/test/hostile/slow.test.ts': 'sends requests and responses without an end',
  'server/test/models/metadata/metadata.test.ts': 'connects through a proxy of its own that fails',
  'server/test/hostile/hostile.test.ts':
    'sends input that is rejected before it reaches a database, to a process of its own',
  'server/test/security/flood.test.ts': 'measures the memory of a node under 20,000 rejected requests',
  'cli/test/help.test.ts': 'tests what the command prints; reaches no database',
};

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Returns the tests that import `pooled`, directly or through fixtures, without the exceptions; paths from the root. */
export function poolerTests(): readonly string[] {
  return ['server/test', 'cli/test', 'compatibility/test']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((path) => path.endsWith('.test.ts') && !(path in withoutPooler) && reaches(join(root, path), new Set()));
}

const self = fileURLToPath(import.meta.url);

/** Whether the file imports this one, directly or through other files. */
function reaches(path: string, seen: Set<string>): boolean {
  if (path === self) return true;
  if (seen.has(path)) return false;
  seen.add(path);
  const imports = readFileSync(path, 'utf8').matchAll(/^(?:import .*|\} )from '(\.{1,2}\/[^']+\.ts)';$/gm);
  return [...imports].some(([, name = '']) => {
    const imported = join(dirname(path), name);
    // Source files import no tests.
    return !relative(root, imported).includes('/src/') && reaches(imported, seen);
  });
}
