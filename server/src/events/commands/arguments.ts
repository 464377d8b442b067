/** Reads the arguments of a command by its zod type; what does not fit becomes an error with a JSON path. */
import { ServiceError } from '../../base/errors.ts';

type Key = PropertyKey;

/** As zod reports what is wrong. */
interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly Key[];
  readonly message: string;
  readonly keys?: readonly string[];
  readonly errors?: readonly (readonly Issue[])[];
}

interface Reader<Value> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: Value }
    | { readonly success: false; readonly error: { readonly issues: readonly unknown[] } };
}

/**
 * The parsed arguments. Throws `parse-failed` with a path such as `$.args.retry_conf.num_retries`.
 *
 * @param base where `args` stand, if they are not the arguments as a whole
 */
export function readArguments<Value>(reader: Reader<Value>, args: unknown, base: readonly Key[] = []): Value {
  const read = reader.safeParse(args);
  if (read.success) return read.data;
  const issue = deepest(read.error.issues[0] as Issue, base);
  const unknown = issue.keys?.[0];
  const path = jsonPath(unknown === undefined ? issue.path : [...issue.path, unknown]);
  throw new ServiceError('parse-failed', unknown === undefined ? sentence(issue) : 'there is no such argument', {
    path,
  });
}

/** `$.args`, then each step; a name that is no plain word stands in brackets. */
export function jsonPath(path: readonly Key[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const name = String(step);
    return /^[A-Za-z_]\w*$/.test(name) ? `${text}.${name}` : `${text}[${JSON.stringify(name)}]`;
  }, '$.args');
}

/** Of the ways in which a union was not met, the one that got furthest into the value tells the most. */
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

/** What zod says, in the words of the other messages: `is required`, `must be a number`, `must be >=0`. */
function sentence(issue: Issue): string {
  const type = /^Invalid input: expected (\w+), received (\w+)$/.exec(issue.message);
  if (type?.[2] === 'undefined') return 'is required';
  if (type !== null) return `must be ${typeNames[type[1] ?? ''] ?? type[1]}`;
  return issue.message
    .replace(/^(Invalid input|Invalid option|Too small|Too big): /, '')
    .replace(/^expected \w+ to (?:be|have) /, 'must be ')
    .replace(/^expected /, 'must be ');
}

/** An `event_id` of any other form is the id of no event. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** What `work` throws, with the path of the argument it worked on. */
export function at<Result>(path: readonly Key[], work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof ServiceError) throw new ServiceError(error.code, error.message, { path: jsonPath(path) });
    throw error;
  }
}

export function rejectArgument(message: string, path: readonly Key[]): never {
  throw new ServiceError('parse-failed', message, { path: jsonPath(path) });
}
