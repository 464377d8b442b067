/** The pages of the site by the kind of reading: tutorials, guides, reference, explanation, and the move from Hasura v2. */
import type { DefaultTheme } from 'vitepress';

type Section = readonly [heading: string, pages: readonly (readonly [title: string, page: string])[]];

const sections: readonly Section[] = [
  [
    'Start',
    [
      ['What it is', ''],
      ['Getting started', 'getting-started'],
      ['A shop in 20 minutes', 'tutorial'],
    ],
  ],
  [
    'Guides: data',
    [
      ['Model data', 'model-data'],
      ['Queries', 'queries'],
      ['Mutations', 'mutations'],
      ['Subscriptions', 'subscriptions'],
      ['Permissions', 'permissions'],
      ['Recipes for permissions', 'permission-recipes'],
      ['Data sources', 'sources'],
      ['Native queries', 'native-queries'],
      ['Import rows', 'import-rows'],
      ['REST endpoints', 'rest-endpoints'],
      ['Relay', 'relay'],
      ['Apollo Federation', 'federation'],
      ['Clients', 'clients'],
      ['Use as a library', 'library'],
    ],
  ],
  [
    'Guides: actions and remote schemas',
    [
      ['Write a handler', 'handlers'],
      ['Calls of handlers', 'action-calls'],
      ['Relationships of actions', 'action-joins'],
      ['Asynchronous actions', 'async-actions'],
      ['Code for handlers', 'action-codegen'],
      ['Remote schemas', 'remote-schemas'],
    ],
  ],
  [
    'Guides: events',
    [
      ['Scheduled events', 'scheduled-events'],
      ['Cron triggers', 'cron-triggers'],
      ['Event triggers', 'event-triggers'],
      ['Operations and functions as targets', 'event-targets'],
      ['Signatures of webhooks', 'webhook-signatures'],
    ],
  ],
  [
    'Guides: operation',
    [
      ['Agents and MCP', 'mcp'],
      ['Console', 'console'],
      ['Sign-in to the console', 'console-sign-in'],
      ['Authentication', 'authentication'],
      ['Authentication with a provider', 'auth-providers'],
      ['Production', 'production'],
      ['Run in containers', 'docker'],
      ['Several processes', 'processes'],
      ['Limits', 'limits'],
      ['Metrics and log', 'metrics'],
      ['Alerts and dashboard', 'alerts'],
      ['OpenTelemetry', 'tracing'],
      ['Explain a request', 'explain'],
      ['Addresses that are called', 'egress'],
      ['Troubleshooting', 'troubleshooting'],
    ],
  ],
  [
    'Guides: deployment',
    [
      ['Deployment', 'deployment'],
      ['Kubernetes', 'kubernetes'],
      ['Docker Compose', 'compose'],
      ['systemd', 'systemd'],
      ['Fly.io', 'deploy-fly'],
      ['Render', 'deploy-render'],
      ['Railway', 'deploy-railway'],
      ['Google Cloud Run', 'deploy-cloud-run'],
      ['Amazon ECS', 'deploy-ecs'],
    ],
  ],
  [
    'Reference',
    [
      ['Command line', 'cli'],
      ['Commands of the command line', 'cli-commands'],
      ['Options of the command line', 'cli-reference'],
      ['Files of the metadata', 'metadata-files'],
      ['Settings', 'configuration'],
      ['Error codes', 'errors'],
      ['GraphQL reference', 'graphql-reference'],
      ['Comparison operators', 'operators'],
      ['Values of columns', 'column-values'],
      ['HTTP API', 'http-api'],
      ['GraphQL over HTTP', 'graphql-over-http'],
      ['Webhook payloads', 'webhook-payloads'],
    ],
  ],
  [
    'Reference: metadata commands',
    [
      ['Requests and errors', 'commands'],
      ['Tables and functions', 'commands-tables'],
      ['Relationships', 'commands-relationships'],
      ['Permissions', 'commands-permissions'],
      ['Data sources and SQL', 'commands-sources'],
      ['Native queries', 'commands-native-queries'],
      ['Actions', 'commands-actions'],
      ['Remote schemas', 'commands-remote-schemas'],
      ['Scheduled events', 'commands-scheduled-events'],
      ['Cron triggers', 'commands-cron-triggers'],
      ['Destinations, alerts, clock', 'commands-destinations'],
      ['Event triggers', 'commands-event-triggers'],
      ['Saved operations, limits', 'commands-operations'],
      ['Metadata and service', 'commands-service'],
    ],
  ],
  [
    'Concepts',
    [
      ['Threat model', 'security'],
      ['Comparison', 'comparison'],
      ['Glossary', 'glossary'],
      ['Benchmarks', 'benchmarks'],
    ],
  ],
  [
    'Coming from Hasura v2',
    [
      ['Start a project', 'from-hasura'],
      ['Move a production database', 'from-hasura-move'],
      ['Commands', 'from-hasura-commands'],
      ['Metadata', 'from-hasura-metadata'],
      ['Settings', 'from-hasura-settings'],
      ['Metadata without effect', 'unsupported-metadata'],
    ],
  ],
];

/** The sidebar of every page. */
export const sidebar: DefaultTheme.SidebarItem[] = sections.map(([text, pages]) => ({
  text,
  items: pages.map(([title, page]) => ({ text: title, link: `/${page}` })),
}));
