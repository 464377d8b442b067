/** The settings of the service, parsed from flags and environment into one frozen record. */
import { nearestName } from '@joinery/metadata/commands/edit/nearest-name';
import type { z } from 'zod';
import { passwordsIn } from '../base/database-url.ts';
import type { Environment } from '../base/environment.ts';
import { ServiceError } from '../base/errors.ts';
import { isLoopback } from '../base/http-client/loopback.ts';
import { maskUrls } from '../base/telemetry/redact.ts';
import { isWildcard } from '../http/middleware/cors.ts';
import { adminSecretsOf, rejectContradictions } from './auth.ts';
import { consoleSignInOf } from './console-sign-in.ts';
import { checkMcp } from './mcp.ts';
import { flagName, type Option, type OptionKey, options, variableName } from './options.ts';

type Parsed<Key extends OptionKey> = z.output<(typeof options)[Key]['parse']>;
type Given<Key extends OptionKey> = (typeof options)[Key]['fallback'] extends string
  ? Parsed<Key>
  : Parsed<Key> | undefined;

export type Config = { readonly [Key in OptionKey]: Given<Key> };

/** Flag values by option key, as text. */
export type Flags = Readonly<Partial<Record<OptionKey, string>>>;

/**
 * Parses the settings. Flags take precedence over the environment, and the environment over the defaults. `DATABASE_URL`
 * is the default of `JOINERY_DATABASE_URL`. Throws `invalid-configuration` with the name of an unknown or invalid setting.
 */
export function parseConfig(environment: Environment, flags: Flags = {}): Config {
  rejectUnknown(environment);
  const entries = Object.entries(options).map(([key, option]) => {
    const written = flags[key as OptionKey] ?? fromEnvironment(option, environment) ?? option.fallback;
    if (written === undefined) return [key, undefined];
    const parsed = option.parse.safeParse(written);
    if (parsed.success) return [key, parsed.data];
    const from = flags[key as OptionKey] === undefined ? variableName(option) : `--${flagName(option)}`;
    throw new ServiceError('invalid-configuration', `${from}: ${parsed.error.issues[0]?.message ?? 'is not valid'}`);
  });
  const config = Object.freeze(Object.fromEntries(entries)) as Config;
  rejectContradictions(config);
  consoleSignInOf(config);
  rejectExposure(config);
  checkOrigins(config);
  checkMcp(config);
  return config;
}

function fromEnvironment(option: Option, environment: Environment): string | undefined {
  const own = environment[variableName(option)];
  if (own !== undefined) return own;
  return option.name === 'DATABASE_URL' ? environment.DATABASE_URL : undefined;
}

function rejectUnknown(environment: Environment): void {
  // JOINERY_ENDPOINT is read by the other commands of the command line.
  const known = new Set([...Object.values(options).map(variableName), 'JOINERY_ENDPOINT']);
  for (const name of Object.keys(environment)) {
    if (!name.startsWith('JOINERY_') || known.has(name) || name.startsWith('JOINERY_TEST_')) continue;
    const near = nearestName(name, [...known]);
    const hint = near === undefined ? 'see "joinery serve --help"' : `did you mean ${near}?`;
    throw new ServiceError('invalid-configuration', `${name} is not a setting of Joinery; ${hint}`);
  }
}

function rejectExposure(config: Config): void {
  if (adminSecretsOf(config).length > 0 || config.insecure || isLoopback(config.host)) return;
  throw new ServiceError(
    'invalid-configuration',
    `JOINERY_HOST is ${config.host}: beyond loopback every caller would be admin. Set JOINERY_ADMIN_SECRET, or JOINERY_INSECURE=true if another layer protects the port`,
  );
}

/** Throws `invalid-configuration` for options that would permit every web page, or that have no effect. */
function checkOrigins(config: Config): void {
  const { corsDomain, disableCors, insecure, wsReadCookie } = config;
  if (isWildcard(corsDomain) && !disableCors && !insecure && adminSecretsOf(config).length === 0) {
    throw new ServiceError(
      'invalid-configuration',
      'JOINERY_CORS_DOMAIN is *: without an admin secret every web page would be admin. Name the origins, or set JOINERY_ADMIN_SECRET',
    );
  }
  if (wsReadCookie && !disableCors) {
    throw new ServiceError(
      'invalid-configuration',
      'JOINERY_WS_READ_COOKIE has an effect only with JOINERY_DISABLE_CORS=true: with CORS, websockets of permitted origins read the cookie anyway',
    );
  }
}

/** Returns one line `NAME=value` for each option, with secrets masked. */
export function printConfig(config: Config): string {
  return Object.entries(options)
    .map(([key, option]) => `${variableName(option)}=${format(option, config[key as OptionKey])}`)
    .join('\n');
}

/** A setting as the metadata API returns it. */
export interface ConfiguredSetting {
  /** The name of the variable. */
  readonly name: string;
  readonly flag: string;
  /** Null where it has no value; `***` for a secret. */
  readonly value: string | null;
  readonly from: 'default' | 'environment' | 'flag';
  /** Null where the setting has no default. */
  readonly default: string | null;
  readonly meaning: string;
}

/**
 * Returns every setting with its origin. Masks secret options and passwords in URLs; `redact` masks other secrets.
 */
export function configuredSettings(
  config: Config,
  { environment, flags = {} }: { readonly environment: Environment; readonly flags?: Flags },
  redact: (text: string) => string,
): readonly ConfiguredSetting[] {
  return Object.entries(options).map(([key, option]: [string, Option]) => {
    const value = config[key as OptionKey];
    const isSet = fromEnvironment(option, environment) !== undefined;
    return {
      name: variableName(option),
      flag: `--${flagName(option)}`,
      value: value === undefined ? null : redact(maskUrls(format(option, value))),
      from: flags[key as OptionKey] !== undefined ? 'flag' : isSet ? 'environment' : 'default',
      default: option.fallback ?? null,
      meaning: option.meaning,
    };
  });
}

function format(option: Option, value: unknown): string {
  if (value === undefined) return '';
  if (option.secret === true) return '***';
  const text = Array.isArray(value) ? value.join(',') : String(value);
  return option.secret === 'url' ? maskUrls(text) : text;
}

/** Returns every secret value of `config`, passwords in URLs included. */
export function secretsOf(config: Config): readonly string[] {
  return Object.entries(options).flatMap(([key, option]: [string, Option]) => {
    const value = config[key as OptionKey];
    if (value === undefined || option.secret === undefined) return [];
    if (option.secret === 'url') return passwordsIn(String(value));
    return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
  });
}
