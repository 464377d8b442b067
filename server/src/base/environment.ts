/** Expands `{{NAME}}` templates and headers from environment variables. Expanded values are not stored. */
import { ServiceError } from './errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A header as the metadata defines it. */
export type WrittenHeader =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly value_from_env: string };

const template = /\{\{\s*([^{}\s]+)\s*\}\}/g;

/** Settings of the service, which may be secrets. Templates cannot use them. */
const reserved = /^JOINERY_/i;

/** Returns the names of the variables in `text`, in order of appearance. */
export function variablesIn(text: string): string[] {
  return [...text.matchAll(template)].map((match) => match[1] ?? '');
}

/** Returns what is wrong with the templates of a URL, as the end of a sentence; undefined when nothing is. */
export function templateProblem(url: string): string | undefined {
  const isMalformed = url.replaceAll(template, '').includes('{{');
  return isMalformed ? 'contains "{{" that does not begin a template such as "{{NAME}}"' : undefined;
}

/** Returns `text` with every `{{NAME}}` replaced. Throws `invalid-configuration` for a variable that is reserved or not set. */
export function expand(text: string, environment: Environment): string {
  return fillTemplates(text, (name) => variable(name, environment));
}

/** Returns `text` with every `{{NAME}}` replaced. Templates in the values are not expanded. */
export function fillTemplates(text: string, read: (name: string) => string): string {
  return text.includes('{{') ? text.replaceAll(template, (_whole, name: string) => read(name)) : text;
}

/** Returns names and values of the headers. Throws as `expand` does. */
export function expandHeaders(headers: readonly WrittenHeader[], environment: Environment): [string, string][] {
  return headers.map((header) => [
    header.name,
    'value' in header ? expand(header.value, environment) : variable(header.value_from_env, environment),
  ]);
}

/** Returns why `name` cannot be used; undefined when it can. */
export function unusableReason(name: string, environment: Environment): string | undefined {
  if (reserved.test(name))
    return `environment variable "${name}" holds a setting of the service and cannot be used here`;
  if (valueNamed(name, environment) === undefined) return `environment variable "${name}" is not set`;
  return undefined;
}

/** Returns undefined also for the members that all objects have, such as `constructor`. */
function valueNamed(name: string, environment: Environment): string | undefined {
  return Object.hasOwn(environment, name) ? environment[name] : undefined;
}

/** Returns the value of a variable. Throws `invalid-configuration` when it is reserved or not set. */
export function variable(name: string, environment: Environment): string {
  const value = valueNamed(name, environment);
  const reason = unusableReason(name, environment);
  if (reason !== undefined || value === undefined) throw new ServiceError('invalid-configuration', reason ?? '');
  return value;
}
