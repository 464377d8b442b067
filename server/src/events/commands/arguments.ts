/** Parses the arguments of event commands with zod and reports the first error with its JSON path. */
import { ServiceError } from '../../base/errors.ts';

type Key = PropertyKey;

/** An issue as zod reports it. */
interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly Key[];
  readonly message: string;
  readonly keys?: readonly string[];
  readonly errors?: readonly (readonly Issue[])[];
}

interface Schema<Value> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: Value }
    | { readonly success: false; readonly error: { readonly issues: readonly unknown[] } };
}

/**
 * Parses the arguments. Throws `parse-failed` with a path such as `$.args.retry_conf.num_retries`.
 *
 * @param base path of `args` if they are a part of the arguments
 */
export function readArguments<Value>(schema: Schema<Value>, args: unknown, base: readonly Key[] = []): Value {
  const read = schema.safeParse(args);
  if (read.success) return read.data;
  const issue = deepest(read.error.issues[0] as Issue, base);
  const unknown = issue.keys?.[0];
  const path = jsonPath(unknown === undefined ? issue.path : [...issue.path, unknown]);
  throw new ServiceError('parse-failed', unknown === undefined ? messageOf(issue) : 'there is no such argument', {
    path,
  });
}

/** Prints a path below `$.args`; names that are not identifiers are written in brackets. */
export function jsonPath(path: readonly Key[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const name = String(step);
    return /^[A-Za-z_]\w*$/.test(name) ? `${text}.${name}` : `${text}[${JSON.stringify(name)}]`;
  }, '$.args');
}

/** Returns the issue with the longest path: of the members of a union, that of the closest match. */
function deepest(issue: Issue, prefix: readonly Key[]): Issue {
  const path = [...prefix, ...issue.path];
  const inner = (issue.errors ?? []).flatMap((one) => one.map((each) => deepest(each, path)));
  const furthest = inner.reduce<Issue | undefined>(
    (best, one) => (best === undefined || one.path.length > best.path.length ? one : best),
    undefined,
  );
  return furthest ?? { ...issue, path };
}

const typeNames: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

/** Returns the message of an issue, such as `is required`, `must be a number` or `must be >=0`. */
function messageOf(issue: Issue): string {
  const type = /^Invalid input: expected (\w+), received (\w+)$/.exec(issue.message);
  if (type?.[2] === 'undefined') return 'is required';
  if (type !== null) return `must be ${typeNames[type[1] ?? ''] ?? type[1]}`;
  return issue.message
    .replace(/^(Invalid input|Invalid option|Too small|Too big): /, '')
    .replace(/^expected \w+ to (?:be|have) /, 'must be ')
    .replace(/^expected /, 'must be ');
}

/** Whether `text` can be an `event_id`. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** Runs `work` and rethrows its ServiceError with the path of an argument. */
export function withArgumentPath<Result>(path: readonly Key[], work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof ServiceError) throw new ServiceError(error.code, error.message, { path: jsonPath(path) });
    throw error;
  }
}

/** Throws `parse-failed` for the argument at the path. */
export function rejectArgument(message: string, path: readonly Key[]): never {
  throw new ServiceError('parse-failed', message, { path: jsonPath(path) });
}
