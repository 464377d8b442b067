/** Parses JSON paths such as `$.lines[0].sku`: the argument `path` of json and jsonb columns, and the places of JWT claims. */
import { ServiceError } from './errors.ts';

/** A key of an object or an index of a list. */
export type JsonPathStep = string | number;

/** `.key`, `[0]`, `["any key"]` or `['any key']`, brackets also after a dot. A quoted key has the escapes of a JSON string. */
const step =
  /(?:\.?([\p{L}\p{N}_$-]+)|\.?\[\s*(-?\d+)\s*\]|\.?\[\s*"((?:[^"\\]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*)"\s*\]|\.?\[\s*'((?:[^'\\]|\\(?:["'\\/bfnrt]|u[\da-fA-F]{4}))*)'\s*\])/uy;

const escaped = /\\(?:u([\da-fA-F]{4})|(.))/g;

/** Any other character after a backslash is unescaped to itself. */
const escapedLetters: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Maximum number of characters of one path. */
const LONGEST = 10_000;

/** Returns the steps of a path; none for `$`. Throws `validation-failed` with the position of the error. */
export function parseJsonPath(path: unknown): readonly JsonPathStep[] {
  if (typeof path !== 'string') throw invalid('a JSON path must be a string such as "$.a[0].b"');
  if (path.length > LONGEST) {
    throw invalid(`a JSON path has at most ${LONGEST} characters, and this one has ${path.length}`);
  }
  if (path.trim() === '') throw invalid('a JSON path must not be empty; use "$" for the whole value');
  const steps: JsonPathStep[] = [];
  const start = /^\s*\$(?=\s*$|[.[])/.exec(path)?.[0].length ?? 0;
  let at = start;
  while (at < path.trimEnd().length) {
    step.lastIndex = at;
    const found = step.exec(path);
    // Only the first key may omit its dot.
    const bare = found?.[1] !== undefined && path[at] !== '.' && at > start;
    if (found === null || bare) {
      const message = `JSON path ${JSON.stringify(path)} is invalid at character ${at + 1}; use a path such as $.key[0]["other key"], with keys in brackets as JSON strings`;
      throw invalid(message);
    }
    const [text, key, index, double, single] = found;
    steps.push(key ?? (index === undefined ? unescaped(double ?? single ?? '') : Number(index)));
    at += text.length;
  }
  return steps;
}

function invalid(message: string): ServiceError {
  return new ServiceError('validation-failed', message);
}

function unescaped(quoted: string): string {
  return quoted.replace(escaped, (_text, code: string | undefined, letter: string) =>
    code === undefined ? (escapedLetters[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
