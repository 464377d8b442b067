/** The options of `pg_dump` that a request may give. Options that read or write files, or connect elsewhere, are rejected. */
import { ServiceError } from '../../base/errors.ts';

/** Options without a value, by their long name; the value is the letter of the short form. */
const flags: Readonly<Record<string, string | undefined>> = {
  'attribute-inserts': undefined,
  blobs: 'b',
  clean: 'c',
  'column-inserts': undefined,
  create: 'C',
  'data-only': 'a',
  'disable-dollar-quoting': undefined,
  'disable-triggers': undefined,
  'enable-row-security': undefined,
  'if-exists': undefined,
  inserts: undefined,
  'large-objects': undefined,
  'load-via-partition-root': undefined,
  'no-acl': undefined,
  'no-blobs': 'B',
  'no-comments': undefined,
  'no-large-objects': undefined,
  'no-owner': 'O',
  'no-password': 'w',
  'no-privileges': 'x',
  'no-publications': undefined,
  'no-security-labels': undefined,
  'no-subscriptions': undefined,
  'no-table-access-method': undefined,
  'no-tablespaces': undefined,
  'no-toast-compression': undefined,
  'no-unlogged-table-data': undefined,
  'on-conflict-do-nothing': undefined,
  'quote-all-identifiers': undefined,
  'schema-only': 's',
  'serializable-deferrable': undefined,
  'strict-names': undefined,
  'use-set-session-authorization': undefined,
};

/** Options with a value. */
const valued: Readonly<Record<string, string | undefined>> = {
  'exclude-schema': 'N',
  'exclude-table': 'T',
  'exclude-table-and-children': undefined,
  'exclude-table-data': undefined,
  'exclude-table-data-and-children': undefined,
  extension: 'e',
  'extra-float-digits': undefined,
  'include-foreign-data': undefined,
  'lock-wait-timeout': undefined,
  role: undefined,
  'rows-per-insert': undefined,
  schema: 'n',
  section: undefined,
  superuser: 'S',
  table: 't',
  'table-and-children': undefined,
};

/** Options that select what is dumped. */
const selecting = new Set(['schema', 'table', 'table-and-children', 'extension']);

/** The schema of the service, which is dumped only where it is selected. */
const OWN_SCHEMA = 'joinery';

/** Returns the arguments of `pg_dump` in their long form. Throws `parse-failed` with the path of an option that is not permitted. */
export function dumpArguments(given: readonly string[], path: string): readonly string[] {
  const read: string[] = [];
  let isSelected = false;
  const add = (name: string, value: string | undefined): void => {
    isSelected ||= selecting.has(name);
    read.push(value === undefined ? `--${name}` : `--${name}=${value}`);
  };
  for (let index = 0; index < given.length; index += 1) {
    const at = `${path}[${index}]`;
    const next = (): string => {
      const value = given[index + 1];
      if (value === undefined) throw invalid(`"${given[index]}" has no value`, at);
      index += 1;
      return value;
    };
    const word = given[index] ?? '';
    if (word.includes('\0')) throw invalid('an option contains the character 0', at);
    if (word.startsWith('--')) readLong(word.slice(2), next, at, add);
    else if (/^-./.test(word)) readShort(word.slice(1), next, at, add);
    else throw invalid(`"${word}" is not an option; the database is that of "source"`, at);
  }
  if (!isSelected) read.push(`--exclude-schema=${OWN_SCHEMA}`);
  return read;
}

type Add = (name: string, value: string | undefined) => void;

function readLong(text: string, next: () => string, at: string, add: Add): void {
  const equals = text.indexOf('=');
  const [name, own] = equals < 0 ? [text, undefined] : [text.slice(0, equals), text.slice(equals + 1)];
  if (Object.hasOwn(valued, name)) add(name, checked(own ?? next(), at));
  else if (Object.hasOwn(flags, name) && own === undefined) add(name, undefined);
  else readFixed(name, own ?? (Object.hasOwn(fixed, name) ? next() : undefined), `--${name}`, at);
}

/** Reads a group such as `Ox` or `nPublic`. */
function readShort(text: string, next: () => string, at: string, add: Add): void {
  for (const [index, letter] of [...text].entries()) {
    const flag = nameOf(flags, letter);
    if (flag !== undefined) {
      add(flag, undefined);
      continue;
    }
    const rest = text.slice(index + 1);
    const option = nameOf(valued, letter);
    const value = (): string => (rest === '' ? next() : rest);
    if (option !== undefined) add(option, checked(value(), at));
    else readFixed(shortFixed[letter], letter in shortFixed ? value() : undefined, `-${letter}`, at);
    return;
  }
}

/** Options that are accepted with one value, which they always have. */
const fixed: Readonly<Record<string, readonly string[]>> = { format: ['p', 'plain'], encoding: ['utf8', 'utf-8'] };
const shortFixed: Readonly<Record<string, string>> = { F: 'format', E: 'encoding' };

function readFixed(name: string | undefined, value: string | undefined, written: string, at: string): void {
  const accepted = name !== undefined && Object.hasOwn(fixed, name) ? fixed[name] : undefined;
  if (accepted === undefined) {
    throw invalid(`"${written}" is not an option of pg_dump that this endpoint permits`, at);
  }
  if (value === undefined || !accepted.includes(value.toLowerCase())) {
    throw invalid(`"${written}" can only be ${accepted[0]}`, at);
  }
}

function nameOf(options: Readonly<Record<string, string | undefined>>, letter: string): string | undefined {
  return Object.keys(options).find((name) => options[name] === letter);
}

function checked(value: string, at: string): string {
  if (value.includes('\0')) throw invalid('a value contains the character 0', at);
  return value;
}

function invalid(message: string, path: string): ServiceError {
  return new ServiceError('parse-failed', message, { path });
}
