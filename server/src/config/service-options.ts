/** The options of the service for the command line, which reads them without loading the service. */
import type { Environment } from '../base/environment.ts';
import { type Flags, parseConfig, printConfig } from './config.ts';
import { type HasuraSettings, readHasuraSettings } from './environment/hasura-names.ts';
import { readSecretFiles } from './environment/secret-files.ts';
import { flagName, type OptionKey, options, variableName } from './options.ts';
import { flag } from './values.ts';

/** Settings as they are written. */
export interface WrittenSettings {
  readonly environment: Environment;
  readonly flags?: Flags;
}

/** One line of `joinery serve --help`. */
export interface DescribedOption {
  readonly key: OptionKey;
  readonly flag: string;
  readonly variable: string;
  readonly meaning: string;
  readonly fallback: string | undefined;
  /** Whether the flag may have no value, which means `true`. */
  readonly isBoolean: boolean;
}

/** Returns every option in the order of the help. */
export function describeOptions(): readonly DescribedOption[] {
  return Object.entries(options).map(([key, option]) => ({
    key: key as OptionKey,
    flag: flagName(option),
    variable: variableName(option),
    meaning: option.meaning,
    fallback: option.fallback,
    isBoolean: option.parse === flag,
  }));
}

/** Returns the settings that `start` would use, one line `NAME=value` each, with secrets masked. */
export function effectiveConfig(request: WrittenSettings): string {
  return printConfig(parseConfig(readSettings(request).environment, request.flags));
}

/** Returns the number of processes that serve requests. */
export function processCount(request: WrittenSettings): number {
  return parseConfig(readSettings(request).environment, request.flags).processes;
}

/** Returns the environment, with the content of files of secrets, and the settings of Hasura v2 where `--hasura-env` is set. */
export function readSettings({ environment: given, flags = {} }: WrittenSettings): HasuraSettings {
  const environment = readSecretFiles(given);
  const enabled = options.hasuraEnv.parse.safeParse(flags.hasuraEnv ?? environment.JOINERY_HASURA_ENV ?? 'false');
  return readHasuraSettings(environment, enabled.data === true);
}
