/** Environment variables of Hasura v2 and the `JOINERY_*` variables that they correspond to. */
import type { Environment } from '../base/environment.ts';
import { flagName, type Option, options, variableName } from './options.ts';

export interface HasuraSettings {
  /** The given environment; with `--hasura-env` also the corresponding `JOINERY_*` variables that are not set. */
  readonly environment: Environment;
  /** Messages for the operator; empty where no variable of Hasura v2 is set. */
  readonly warnings: readonly string[];
}

const PREFIX = 'HASURA_GRAPHQL_';
/** The version that the tools of Hasura v2 take for a server with all features. */
const REPORTED_VERSION = 'v2.48.0';

/** Names of Hasura v2 that differ from ours. */
const renamed: Readonly<Record<string, keyof typeof options>> = {
  ACCESS_KEY: 'adminSecret',
  ENABLE_APOLLO_FEDERATION: 'apolloFederation',
  AUTH_HOOK_TYPE: 'authHookMode',
  PG_CONNECTIONS: 'poolSize',
  SERVER_HOST: 'host',
  SERVER_PORT: 'port',
};

/** Settings of the command line tool. The service does not read them. */
const ofCommandLine = new Set(['ENDPOINT', 'DISABLE_INTERACTIVE', 'MIGRATIONS_DIR', 'MIGRATIONS_DATABASE_ENV_VAR']);

const byName = new Map<string, Option>(Object.values(options).map((option) => [option.name, option]));

/**
 * Reads the variables `HASURA_GRAPHQL_*`. With `enabled` each sets its counterpart, unless that is set itself, and the
 * header prefix is `X-Hasura-` and the reported version one of Hasura v2 by default. Without it they have no effect, which the warnings say.
 */
export function readHasuraSettings(environment: Environment, enabled: boolean): HasuraSettings {
  const names = Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && environment[name] !== undefined)
    .filter((name) => !ofCommandLine.has(name.slice(PREFIX.length)))
    // The current name of a setting takes precedence over the deprecated one.
    .sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
  if (!enabled) return { environment, warnings: names.length === 0 ? [] : [withoutEffect(names)] };
  const mapped: Record<string, string | undefined> = {
    [variableName(options.headerPrefix)]: 'X-Hasura-',
    [variableName(options.reportVersion)]: REPORTED_VERSION,
  };
  const unsupported: string[] = [];
  for (const name of names) {
    const setting = counterpartOf(name, environment[name] ?? '');
    if (setting === undefined) unsupported.push(name);
    else mapped[setting.variable] ??= setting.value;
  }
  const warnings =
    unsupported.length === 0
      ? []
      : [`these variables of Hasura v2 have no counterpart and no effect: ${unsupported.join(', ')}`];
  return { environment: { ...mapped, ...environment }, warnings };
}

function rank(name: string): number {
  return Object.hasOwn(renamed, name.slice(PREFIX.length)) ? 1 : 0;
}

/** Returns the variable and value that correspond to `name`; undefined where there is no counterpart. */
function counterpartOf(name: string, value: string): { readonly variable: string; readonly value: string } | undefined {
  const bare = name.slice(PREFIX.length);
  if (bare === 'DISABLE_EVENTING') {
    const components = /^(true|1|yes|t|y)$/i.test(value) ? 'api,console' : (options.components.fallback ?? '');
    return { variable: variableName(options.components), value: components };
  }
  const key = renamed[bare];
  const option = key === undefined ? byName.get(bare) : options[key];
  if (option === undefined) return undefined;
  // Hasura v2 accepts `*` for all addresses.
  return { variable: variableName(option), value: bare === 'SERVER_HOST' && value === '*' ? '0.0.0.0' : value };
}

function withoutEffect(names: readonly string[]): string {
  const listed = names.map((name) => `${name} (${counterpartOf(name, '')?.variable ?? 'no counterpart'})`);
  const flag = `--${flagName(options.hasuraEnv)}`;
  return `variables of Hasura v2 are set and have no effect; start with ${flag} to use them, or set the variables in parentheses: ${listed.join(', ')}`;
}
