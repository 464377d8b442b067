import { expect, it } from 'vitest';
import { parseConfig } from '../config.ts';
import { readHasuraSettings } from './hasura-names.ts';

it('sets the counterpart of each variable, including those with other names', () => {
  const { environment, warnings } = readHasuraSettings(
    {
      HASURA_GRAPHQL_ADMIN_SECRET: 'secret',
      HASURA_GRAPHQL_ACCESS_KEY: 'old secret',
      HASURA_GRAPHQL_SERVER_PORT: '9000',
      HASURA_GRAPHQL_SERVER_HOST: '*',
      HASURA_GRAPHQL_DATABASE_URL: 'postgres://a/b',
      HASURA_GRAPHQL_ENABLED_APIS: 'metadata,graphql,pgdump,config',
      HASURA_GRAPHQL_DISABLE_EVENTING: 'true',
    },
    true,
  );
  expect(warnings).toEqual([]);
  expect(parseConfig(environment)).toMatchObject({
    adminSecret: 'secret',
    port: 9000,
    host: '0.0.0.0',
    databaseUrl: 'postgres://a/b',
    headerPrefix: 'x-hasura-',
    components: ['api', 'console'],
  });
});

it('does not override a variable of the service', () => {
  const given = { HASURA_GRAPHQL_SERVER_PORT: '9000', JOINERY_PORT: '9001', JOINERY_HEADER_PREFIX: 'X-App-' };
  expect(parseConfig(readHasuraSettings(given, true).environment)).toMatchObject({
    port: 9001,
    headerPrefix: 'x-app-',
  });
});

it('lists the variables that have no counterpart', () => {
  const { warnings } = readHasuraSettings({ HASURA_GRAPHQL_ENABLE_TELEMETRY: 'false' }, true);
  expect(warnings).toEqual([
    'these variables of Hasura v2 have no counterpart and no effect: HASURA_GRAPHQL_ENABLE_TELEMETRY (the service sends nothing to others)',
  ]);
});

it.each([
  ['naming_convention,inherited_roles, streaming_subscriptions', []],
  ['apollo_federation', []],
  ['', []],
  ['group_by,naming_convention', ['these features of HASURA_GRAPHQL_EXPERIMENTAL_FEATURES have no effect: group_by']],
])('warns of the experimental features %s that are not always on', (value, expected) => {
  const { environment, warnings } = readHasuraSettings({ HASURA_GRAPHQL_EXPERIMENTAL_FEATURES: value }, true);
  expect(warnings).toEqual(expected);
  expect(parseConfig(environment).apolloFederation).toBe(value.includes('apollo_federation'));
});

it('enables Apollo Federation if either of its two variables does', () => {
  const given = {
    HASURA_GRAPHQL_EXPERIMENTAL_FEATURES: 'apollo_federation',
    HASURA_GRAPHQL_ENABLE_APOLLO_FEDERATION: 'false',
  };
  expect(parseConfig(readHasuraSettings(given, true).environment).apolloFederation).toBe(true);
});

it('warns once of variables that are not read, with their counterparts and without their values', () => {
  const given = { HASURA_GRAPHQL_ADMIN_SECRET: 'hunter2', HASURA_GRAPHQL_ENABLE_TELEMETRY: 'false' };
  const { environment, warnings } = readHasuraSettings(given, false);
  expect(environment).toBe(given);
  expect(warnings).toEqual([expect.stringContaining('HASURA_GRAPHQL_ADMIN_SECRET (JOINERY_ADMIN_SECRET)')]);
  expect(warnings[0]).toContain('HASURA_GRAPHQL_ENABLE_TELEMETRY (no counterpart)');
  expect(warnings[0]).toContain('--hasura-env');
  expect(warnings[0]).not.toContain('hunter2');
});

it('returns no warnings if no variable of Hasura v2 is set', () => {
  expect(readHasuraSettings({ PATH: '/bin', HASURA_GRAPHQL_ENDPOINT: 'http://localhost' }, false).warnings).toEqual([]);
});

it.each([
  ['startup,http-log,query-log', true],
  ['startup, query-log', true],
  ['startup,http-log,webhook-log', false],
])('logs operations for the log types %s: %s', (types, expected) => {
  const { environment } = readHasuraSettings({ HASURA_GRAPHQL_ENABLED_LOG_TYPES: types }, true);
  expect(parseConfig(environment).queryLog).toBe(expected);
});

it.each([
  ['ENABLED_APIS', 'METADATA, GraphQL', { enabledApis: ['metadata', 'graphql'] }],
  ['LOG_LEVEL', 'WARN', { logLevel: 'warn' }],
  ['STRINGIFY_NUMERIC_TYPES', 't', { stringifyNumericTypes: true }],
  ['STRINGIFY_NUMERIC_TYPES', 'Y', { stringifyNumericTypes: true }],
  ['STRINGIFY_NUMERIC_TYPES', 'yes', { stringifyNumericTypes: true }],
  ['STRINGIFY_NUMERIC_TYPES', '1', { stringifyNumericTypes: true }],
  ['ENABLE_CONSOLE', 'f', { enableConsole: false }],
  ['ENABLE_CONSOLE', 'N', { enableConsole: false }],
  ['DISABLE_EVENTING', 'Y', { components: ['api', 'console'] }],
  ['DISABLE_EVENTING', 'false', { components: ['api', 'console', 'events'] }],
  ['PG_CONNECTIONS', '20', { poolSize: 20 }],
  ['AUTH_HOOK_TYPE', 'POST', { authHookMode: 'POST' }],
])('reads HASURA_GRAPHQL_%s=%s as Hasura v2', (name, value, expected) => {
  const given = { [`HASURA_GRAPHQL_${name}`]: value };
  expect(parseConfig(readHasuraSettings(given, true).environment)).toMatchObject(expected);
});
