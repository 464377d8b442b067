/** The search of the site finds the page of a subject by words that readers use for it. */
import { readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import MiniSearch from 'minisearch';
import { beforeAll, expect, it } from 'vitest';
import { site } from './site.ts';

interface Section {
  readonly id: string;
  readonly title: string;
}

let index: MiniSearch<Section>;

beforeAll(async () => {
  const chunks = `${site}assets/chunks/`;
  const name = readdirSync(chunks).find((one) => /^@localSearchIndexroot\..*\.js$/.test(one));
  if (name === undefined) throw new Error('the site has no search index');
  const { default: text } = (await import(pathToFileURL(chunks + name).href)) as { readonly default: string };
  // As the search box of the site.
  index = MiniSearch.loadJSON<Section>(text, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } },
  });
});

it.each([
  ['SSRF', 'egress'],
  ['upsert', 'mutations'],
  ['on conflict', 'mutations'],
  ['pagination', 'queries'],
  ['aggregate', 'queries'],
  ['subscription', 'subscriptions'],
  ['websocket', 'subscriptions'],
  ['foreign key', 'model-data'],
  ['computed field', 'model-data'],
  ['PostGIS', 'operators'],
  ['idempotency', 'scheduled-events'],
  ['liveness', 'production'],
  ['readiness', 'production'],
  ['Kubernetes', 'kubernetes'],
  ['Helm', 'kubernetes'],
  ['HPA', 'kubernetes'],
  ['docker compose', 'compose'],
  ['systemd', 'systemd'],
  ['Fargate', 'deploy-ecs'],
  ['Cloud Run', 'deploy-cloud-run'],
  ['Fly.io', 'deploy-fly'],
  ['MCP', 'mcp'],
  ['agents', 'mcp'],
  ['RLS', 'permissions'],
  ['row level security', 'permissions'],
  ['N+1', 'action-joins'],
  ['JWT', 'authentication'],
  ['rate limit', 'limits'],
  ['outbox', 'idempotent-receivers'],
  ['CDC', 'event-triggers'],
  ['cron', 'cron-triggers'],
  ['time zone', 'cron-triggers'],
  ['create_select_permission', 'commands-permissions'],
  ['track_table', 'commands-tables'],
  ['export_metadata', 'commands-service'],
  ['metadata command', 'commands'],
  ['JSON Schema', 'metadata-files'],
  ['autocomplete', 'metadata-files'],
  ['tutorial', 'tutorial'],
  ['runbook', 'alerts'],
  ['JoineryDown', 'alerts'],
  ['Keycloak', 'auth-providers'],
  ['PostgREST', 'comparison'],
  ['tenant', 'permission-recipes'],
  ['column mask', 'permission-recipes'],
  ['Python', 'handlers'],
  ['HMAC', 'webhook-signatures'],
  ['OpenTelemetry', 'tracing'],
  ['Prometheus', 'metrics'],
  ['PgBouncer', 'production'],
  ['backup', 'backup-upgrade'],
  ['pg_dump', 'backup-upgrade'],
  ['rollback', 'backup-upgrade'],
  ['upgrade', 'backup-upgrade'],
  ['exactly once', 'delivery-guarantees'],
  ['at least once', 'delivery-guarantees'],
  ['deduplication', 'idempotent-receivers'],
  ['React', 'subscriptions-react'],
  ['urql', 'subscriptions-react'],
  ['vitest', 'testing'],
  ['GitHub Actions', 'ci'],
  ['pipeline', 'ci'],
  ['scale out', 'scaling'],
  ['max_connections', 'scaling'],
  ['observability', 'observing'],
  ['hardening', 'checklist'],
  ['Prisma', 'faq'],
  ['file upload', 'faq'],
  ['serverless', 'faq'],
  ['nginx', 'faq'],
  ['architecture', 'architecture'],
  ['SSO', 'console-sign-in'],
  ['OpenAPI', 'rest-endpoints'],
  ['bulk insert', 'import-rows'],
  ['CSV', 'import-rows'],
  ['raw SQL', 'native-queries'],
  ['allow list', 'limits'],
  ['ETag', 'graphql-over-http'],
  ['read replica', 'sources'],
  ['stitching', 'remote-schemas'],
  ['federation', 'federation'],
  ['_bool_exp', 'graphql-reference'],
  ['_insert_input', 'graphql-reference'],
  ['openapi.json', 'http-api'],
  ['delivery_info', 'webhook-payloads'],
])('%s finds the page %s first', (words, page) => {
  const [first] = index.search(words);
  expect(first?.id.replace(/^\/docs\//, '').replace(/#.*$/, '')).toBe(page);
});
