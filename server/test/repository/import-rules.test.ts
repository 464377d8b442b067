/** The import rules of the layers in biome.layers.json. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The path of a file and its import specifier. */
type Sample = readonly [path: string, specifier: string];

const forbidden: readonly Sample[] = [
  ['server/src/base/a.ts', '../http/routes/health.ts'],
  ['server/src/base/templates/kriti/b.ts', '../../../model/model.ts'],
  ['server/src/postgres/client/x.ts', '../../events/events.ts'],
  ['server/src/auth/d.ts', '../events/events.ts'],
  ['server/src/events/delivery/e.ts', '../../auth/session.ts'],
  ['server/src/events/delivery/x.ts', '../scheduled/claim.ts'],
  ['server/src/events/destinations/y.ts', '../triggers/batches.ts'],
  ['server/src/model/f.ts', '../schema/binding.ts'],
  ['server/src/plan/select/g.ts', '../../print/select.ts'],
  ['server/src/execute/h.ts', '../service/service.ts'],
  ['server/src/service/graphql/i.ts', '../../http/server.ts'],
  ['server/src/http/j.ts', '../config/config.ts'],
  ['server/src/http/routes/k.ts', '../../main.ts'],
  ['server/src/service/l.ts', 'pg'],
  ['server/src/postgres/client/x.ts', 'pg'],
  ['server/src/postgres/wire/y.ts', '../client/pool.ts'],
  ['server/src/print/m.ts', 'graphql/utilities'],
  ['server/src/execute/n.ts', '@fastify/cors'],
  ['server/src/model/o.ts', 'undici'],
  ['server/src/service/z.ts', '@modelcontextprotocol/sdk/server/index.js'],
  ['server/src/http/z.ts', 'minisearch'],
  ['server/src/auth/p.ts', '@joinery/metadata/schema/tables'],
  ['server/src/events/q.ts', '@joinery/metadata/schema/tables'],
  ['metadata/src/schema/r.ts', 'graphql'],
  ['metadata/src/schema/s.ts', 'node:fs'],
  ['console/src/ui/t.ts', 'node:fs'],
  ['console/src/features/actions/u.ts', '../events/events-page.tsx'],
  ['console/src/features/actions/sdl/v.ts', '../../events/events-page.tsx'],
  ['console/src/shared/roles/w.ts', '../../features/events/events-page.tsx'],
];

const permitted: readonly Sample[] = [
  ['server/src/http/routes/a.ts', '../../service/service.ts'],
  ['server/src/postgres/client/b.ts', '../../base/http-client/http-client.ts'],
  ['server/src/postgres/wire/c.ts', 'pg-protocol'],
  ['server/src/events/d.ts', '@joinery/metadata/names'],
  ['server/src/events/scheduled/m.ts', '../delivery/event-store.ts'],
  ['server/src/model/tables/e.ts', '@joinery/metadata/schema/tables'],
  ['server/src/schema/f.ts', 'graphql'],
  ['server/src/http/mcp/n.ts', '@modelcontextprotocol/sdk/types.js'],
  ['server/src/service/mcp/o.ts', 'minisearch'],
  ['metadata/src/sdl/g.ts', 'graphql'],
  ['console/src/features/actions/h.ts', '../../ui/format.ts'],
  ['console/src/features/actions/i.ts', './sdl/sdl.ts'],
  ['console/src/features/actions/sdl/j.ts', '../run/run-action.tsx'],
  ['console/src/features/actions/sdl/k.ts', '../../../ui/format.ts'],
  ['console/src/shared/roles/l.ts', '../../ui/format.ts'],
];

let found: readonly string[];
let tree: string;

beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), 'joinery-import-rules-'));
  for (const file of ['biome.json', 'biome.layers.json']) copyFileSync(join(root, file), join(tree, file));
  for (const [path, specifier] of [...forbidden, ...permitted]) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), `import { a } from '${specifier}';\n\nexport const b = a;\n`);
  }
  found = violations();
});

afterAll(() => rmSync(tree, { recursive: true, force: true }));

/** Returns the paths of the files that violate a rule. */
function violations(): readonly string[] {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
  const options = [
    'lint',
    '--reporter=json',
    '--max-diagnostics=none',
    '--vcs-enabled=false',
    '--only=style/noRestrictedImports',
  ];
  const nodejs = '--only=correctness/noNodejsModules';
  let output: string;
  try {
    output = execFileSync(process.execPath, [biome, ...options, nodejs, '.'], { cwd: tree, encoding: 'utf8' });
  } catch (error) {
    output = String((error as { readonly stdout: unknown }).stdout);
  }
  const report = JSON.parse(output) as { diagnostics: readonly { location: { path: unknown } }[] };
  return report.diagnostics.map(({ location }) => JSON.stringify(location.path));
}

const isReported = (path: string): boolean => found.some((text) => text.includes(path));

test.each(forbidden)('%s must not import %s', (path) => {
  expect(isReported(path)).toBe(true);
});

test.each(permitted)('%s may import %s', (path) => {
  expect(isReported(path)).toBe(false);
});
