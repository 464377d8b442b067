/** Code blocks that `examples.test.ts` does not run: those of other tests, and those that no test runs, with the reason. */

/** Tests of single pages, which run blocks with labels of their own, or all blocks. */
export const testsOfPages: Readonly<Record<string, { readonly test: string; readonly labels?: RegExp }>> = {
  '../README.md': { test: 'cli/test/pages.test.ts' },
  'getting-started.md': { test: 'cli/test/pages.test.ts' },
  'auth-providers.md': { test: 'server/test/docs/auth-providers-page.test.ts', labels: /^(?:config|token)=/ },
  'authentication.md': { test: 'server/test/docs/authentication-page.test.ts', labels: /^(?:config|claims|hook)\b/ },
  'ci.md': { test: 'server/test/docs/ci-page.test.ts', labels: /^run=/ },
  'webhook-payloads.md': { test: 'server/test/docs/webhook-payloads-page.test.ts', labels: /^delivery$/ },
};

const ofAnotherProgram = 'is a configuration file of another program';
const ofAHost = 'needs a host with the deployment of the page; deploy/ has its own tests';
const ofACluster = 'changes roles of the whole cluster, which tests share';

/** By page and the first characters of the code. */
export const notRun: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'auth-providers.md': { '{\n  "https://hasura.io/jwt/claims": {\n    "x-service-default': 'is a template of Clerk' },
  'backup-upgrade.md': { 'curl --fail --retry 60': ofAHost },
  'cli.md': {
    '{\n  "error": "metadata/actions.yaml': 'is shortened; cli/test/metadata/errors.test.ts compares whole errors',
  },
  'clients.md': { '{\n  "schema":': ofAnotherProgram },
  'compose.md': { 'docker compose': ofAHost },
  'console.md': { '{ "headerPrefix"': 'depends on the version and on a provider; server/test/http/console.test.ts' },
  'event-triggers.md': {
    'create schema joinery authorization': `${ofACluster}; server/test/events/triggers/privileges.test.ts`,
    'drop schema joinery cascade': 'removes the state of the running service',
  },
  'idempotent-receivers.md': {
    'select * from points': 'server/test/docs/receivers-page.test.ts sends it after a delivery',
  },
  'mcp.md': {
    '{\n  "mcpServers": {\n    "shop": { "command"': ofAnotherProgram,
    '{\n  "servers"': ofAnotherProgram,
    '{\n  "mcpServers": {\n    "shop": {\n': ofAnotherProgram,
  },
  'observing.md': {
    'export JOINERY_LOG_FORMAT':
      'starts a service on port 8080; server/test/operations/operations.test.ts requests the metrics',
  },
  'production.md': {
    'begin;\nalter table joinery.event_invocations': 'server/test/events/safety/log-migration.test.ts runs it',
  },
  'scheduled-events.md': {
    '{ "backlog"': 'is shortened; commands-scheduled-events.md has the whole response',
    '{ "from"': 'is shortened; commands-scheduled-events.md has the whole response',
    '{ "alert"': 'needs failures of minutes; server/test/events/delivery/alerts.test.ts compares the message',
  },
  'sources.md': {
    'select id, name from author /*':
      'is shortened; server/test/operations/query-tags.test.ts compares whole statements',
    'grant pg_read_all_stats': ofACluster,
  },
  'systemd.md': { 'sudo cp': ofAHost },
  'tutorial.md': {
    "curl http://127.0.0.1:8080/v1/metadata -H 'content-type: application/json' -d":
      'has no command: it is the form of those below',
  },
};
