/** Parses the JSON paths of the service. */
import type { Key } from './metadata-files.ts';

/** Parses `$.sources[0].tables[2]["its name"]` to `sources`, 0, `tables`, 2, `its name`; stops at invalid text. */
export function keysOf(path: string): readonly Key[] {
  const keys: Key[] = [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings do not have them.
  const step = /\.([\w$*-]+)|\[(\d+)\]|\[("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")\]/y;
  step.lastIndex = path.startsWith('$') ? 1 : 0;
  for (;;) {
    const found = step.exec(path);
    if (found === null) return keys;
    const [, name, index, quoted] = found;
    keys.push(name ?? (index === undefined ? (JSON.parse(quoted ?? '""') as string) : Number(index)));
  }
}
