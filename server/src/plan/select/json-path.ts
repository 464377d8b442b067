/** Parses the `path` argument of json and jsonb columns, such as `$.lines[0].sku`, to keys and indexes. */
import { ServiceError } from '../../base/errors.ts';

/** `.key`, `[0]`, `["any key"]` or `['any key']`. A quoted key has the escapes of a JSON string. */
const step =
  /(?:\.?([\p{L}\p{N}_$-]+)|\[\s*(-?\d+)\s*\]|\[\s*"((?:[^"\\]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*)"\s*\]|\[\s*'((?:[^'\\]|\\(?:["'\\/bfnrt]|u[\da-fA-F]{4}))*)'\s*\])/uy;

const escaped = /\\(?:u([\da-fA-F]{4})|(.))/g;

/** Any other character after a backslash is unescaped to itself. */
const escapedLetters: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Maximum number of characters of one path. */
const LONGEST = 10_000;

/** Returns the elements for the operator `#>`; none for `$`. Throws `parse-failed` with the position of the error. */
export function parseJsonPath(path: unknown): readonly string[] {
  if (typeof path !== 'string')
    throw new ServiceError('parse-failed', 'a JSON path must be a string such as "$.a[0].b"');
  if (path.length > LONGEST) {
    throw new ServiceError(
      'parse-failed',
      `a JSON path has at most ${LONGEST} characters, and this one has ${path.length}`,
    );
  }
  const elements: string[] = [];
  const start = /^\s*\$(?=\s*$|[.[])/.exec(path)?.[0].length ?? 0;
  let at = start;
  while (at < path.trimEnd().length) {
    step.lastIndex = at;
    const found = step.exec(path);
    // Only the first key may omit its dot.
    const bare = found?.[1] !== undefined && path[at] !== '.' && at > start;
    if (found === null || bare) {
      const message = `JSON path ${JSON.stringify(path)} is invalid at character ${at + 1}; use a path such as $.key[0]["other key"], with keys in brackets as JSON strings`;
      throw new ServiceError('parse-failed', message);
    }
    const [text, key, index, double, single] = found;
    elements.push(key ?? index ?? unescaped(double ?? single ?? ''));
    at += text.length;
  }
  return elements;
}

function unescaped(quoted: string): string {
  return quoted.replace(escaped, (_text, code: string | undefined, letter: string) =>
    code === undefined ? (escapedLetters[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
