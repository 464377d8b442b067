/** Paths as the service writes them, taken apart. */
import type { Key } from './metadata-files.ts';

/** `$.sources[0].tables[2]["its name"]` as `sources`, 0, `tables`, 2, `its name`; as far as it can be read. */
export function keysOf(path: string): readonly Key[] {
  const keys: Key[] = [];
  const step = /\.([\w$*-]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;
  step.lastIndex = path.startsWith('$') ? 1 : 0;
  for (;;) {
    const found = step.exec(path);
    if (found === null) return keys;
    const [, name, index, quoted] = found;
    keys.push(name ?? (index === undefined ? (JSON.parse(quoted ?? '""') as string) : Number(index)));
  }
}
