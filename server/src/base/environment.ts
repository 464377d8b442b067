/** `{{NAME}}` templates and headers whose values live in the environment. Expanded when used, never stored. */
import { ServiceError } from './errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The written forms of a header; the metadata package has the parser. */
export type WrittenHeader =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly value_from_env: string };

const template = /\{\{\s*([^{}\s]+)\s*\}\}/g;

/** The settings of the service itself, secrets among them, are not for templates. */
const reserved = /^JOINERY_/i;

/** Names of the variables in `text`, in order of appearance. */
export function variablesIn(text: string): string[] {
  return [...text.matchAll(template)].map((match) => match[1] ?? '');
}

/** `text` with every `{{NAME}}` replaced. Throws `invalid-configuration` for a variable that is not set or reserved. */
export function expand(text: string, environment: Environment): string {
  return fillTemplates(text, (name) => variable(name, environment));
}

/** `text` with every `{{NAME}}` replaced by its value, which is not read for templates again. */
export function fillTemplates(text: string, read: (name: string) => string): string {
  return text.replaceAll(template, (_whole, name: string) => read(name));
}

/** The headers as sent. Throws as `expand` does. */
export function expandHeaders(headers: readonly WrittenHeader[], environment: Environment): [string, string][] {
  return headers.map((header) => [
    header.name,
    'value' in header ? expand(header.value, environment) : variable(header.value_from_env, environment),
  ]);
}

/** Why `name` cannot be used, or undefined when it can. */
export function unusableReason(name: string, environment: Environment): string | undefined {
  if (reserved.test(name))
    return `environment variable "${name}" holds a setting of the service and cannot be used here`;
  if (environment[name] === undefined) return `environment variable "${name}" is not set`;
  return undefined;
}

/** The value of one variable. Throws `invalid-configuration` when it is not set or reserved. */
export function variable(name: string, environment: Environment): string {
  const value = environment[name];
  const reason = unusableReason(name, environment);
  if (reason !== undefined || value === undefined) throw new ServiceError('invalid-configuration', reason ?? '');
  return value;
}
