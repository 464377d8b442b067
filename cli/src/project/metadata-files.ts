/** Reads the YAML files of a project's metadata once, with their includes, as values with places. */
import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isAlias, isCollection, isMap, isScalar, isSeq, type Node, type Pair, type Scalar } from 'yaml';
import { CliError, type Place } from '../cli-error.ts';
import { INCLUDE, parseYaml, type YamlFile, yamlValue } from './yaml-file.ts';

/** A member's name or the index of an element. */
export type Key = string | number;

export interface MetadataFiles {
  readonly folder: string;
  /** Returns the value of a file with its includes; undefined where it does not exist. Throws CliError. */
  value(file: string): Promise<unknown>;
  text(file: string): Promise<string | undefined>;
  /** The files read so far, by path relative to the folder. */
  readonly read: ReadonlyMap<string, YamlFile>;
  /** Returns the file that `node` of `file` includes. */
  included(file: string, node: unknown): string | undefined;
  /** Returns the place of `keys` from the root of `file`, or of the nearest existing parent. */
  place(file: string, keys: readonly Key[]): Place;
}

/** Characters of a file with its includes, and what each of them adds to them. */
const MAX_LENGTH = 64 * 1_024 ** 2;
const INCLUDE_LENGTH = 1_000;

export function metadataFiles(folder: string): MetadataFiles {
  const read = new Map<string, YamlFile>();
  /** With their includes, by file. */
  const values = new Map<string, { readonly value: unknown; readonly length: number }>();
  const shown = (file: string) => join(folder, file);

  /** `from`: the place of the include; undefined for a file that commands read by its name. */
  async function text(file: string, from?: Place): Promise<string | undefined> {
    try {
      return decode(await readRegularFile(shown(file)));
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      const reason = `${shown(file).replaceAll('\0', '\\0')} cannot be read: ${message}`;
      throw new CliError({ message: reason, place: from ?? { file: shown(file), line: 1, column: 1 } }, { cause });
    }
  }

  async function parse(file: string, from?: Place): Promise<YamlFile | undefined> {
    const known = read.get(file);
    if (known !== undefined) return known;
    const content = await text(file, from);
    if (content === undefined) return undefined;
    const parsed = parseYaml(content, shown(file));
    read.set(file, parsed);
    return parsed;
  }

  function included(file: string, node: unknown): string | undefined {
    const value = isScalar(node) ? node.value : undefined;
    if (typeof value !== 'string' || !value.startsWith(INCLUDE)) return undefined;
    const target = resolve(folder, dirname(file), value.slice(INCLUDE.length).trim());
    return relative(resolve(folder), target).split(sep).join('/');
  }

  /** `within`: the files being read, to detect cycles. */
  async function value(file: string, within: readonly string[] = [], from?: Place): Promise<unknown> {
    const known = values.get(file);
    if (known !== undefined) return known.value;
    const parsed = await parse(file, from);
    if (parsed === undefined) return undefined;
    const { length, found } = await loadIncludes(parsed, file, [...within, file]);
    const plain = yamlValue(parsed);
    const full = found ? replaceIncludes(plain, file) : plain;
    values.set(file, { value: full, length });
    return full;
  }

  async function loadIncludes(
    parsed: YamlFile,
    file: string,
    within: readonly string[],
  ): Promise<{ readonly length: number; readonly found: boolean }> {
    let length = parsed.text.length;
    let found = false;
    for (const node of scalarsOf(parsed.document.contents)) {
      const target = included(file, node);
      if (target === undefined) continue;
      found = true;
      const place = parsed.place(node.range?.[0]);
      if (target.startsWith('..')) {
        throw new CliError({ message: `"${String(node.value)}" is outside the metadata directory`, place });
      }
      if (within.includes(target)) {
        throw new CliError({ message: `${shown(target)} includes itself`, place });
      }
      if ((await value(target, within, place)) === undefined) {
        const message = `${shown(target)} does not exist; create it or remove the !include`;
        throw new CliError({ message, place });
      }
      length += INCLUDE_LENGTH + (values.get(target)?.length ?? 0);
      if (length <= MAX_LENGTH) continue;
      throw new CliError({ message: `${shown(file)} with its includes is larger than 64 MiB`, place });
    }
    return { length, found };
  }

  /** All included files have been read. */
  function replaceIncludes(plain: unknown, file: string): unknown {
    if (typeof plain === 'string' && plain.startsWith(INCLUDE)) {
      const target = relative(resolve(folder), resolve(folder, dirname(file), plain.slice(INCLUDE.length).trim()));
      return values.get(target.split(sep).join('/'))?.value;
    }
    if (Array.isArray(plain)) return plain.map((item) => replaceIncludes(item, file));
    if (typeof plain !== 'object' || plain === null) return plain;
    return Object.fromEntries(Object.entries(plain).map(([name, member]) => [name, replaceIncludes(member, file)]));
  }

  function place(file: string, keys: readonly Key[]): Place {
    let current = read.get(file);
    let within = file;
    if (current === undefined) return { file: shown(file), line: 1, column: 1 };
    let node: unknown = current.document.contents;
    let at = current.place(offsetOf(node));
    let isMember = false;
    for (const key of [...keys, undefined]) {
      // The place of a member is that of its name, also if its value is in another file.
      if (key === undefined && isMember) return at;
      for (;;) {
        if (isAlias(node)) node = node.resolve(current.document);
        const target = included(within, node);
        const next = target === undefined ? undefined : read.get(target);
        if (target === undefined || next === undefined) break;
        [current, within, node] = [next, target, next.document.contents];
        at = current.place(offsetOf(node));
      }
      if (key === undefined) return at;
      isMember = isMap(node);
      const step = stepInto(node, key);
      if (step === undefined) return at;
      node = step.node;
      at = current.place(step.offset);
    }
    return at;
  }

  return { folder, value: (file) => value(file), text: (file) => text(file), read, included, place };
}

/** Rejects a device or a pipe, whose content has no end. */
async function readRegularFile(path: string): Promise<Buffer> {
  if (!(await stat(path)).isFile()) throw new Error('it is not a file');
  return readFile(path);
}

function decode(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new Error('it is not UTF-8 text');
}

/** Returns the place of the member's name. */
function stepInto(
  node: unknown,
  key: Key,
): { readonly node: unknown; readonly offset: number | undefined } | undefined {
  if (isSeq(node)) {
    const item = typeof key === 'number' ? node.items[key] : undefined;
    return item === undefined ? undefined : { node: item, offset: offsetOf(item) };
  }
  if (!isMap(node)) return undefined;
  const pair = pairOf(node.items, String(key));
  return pair && { node: pair.value, offset: offsetOf(pair.key) };
}

export function pairOf(items: readonly Pair[], name: string): Pair | undefined {
  return items.find(({ key }) => (isScalar(key) ? String(key.value) : key) === name);
}

function offsetOf(node: unknown): number | undefined {
  return (node as Node | null)?.range?.[0];
}

/** Returns all nodes below `node` except member names. */
export function scalarsOf(node: unknown): readonly Scalar[] {
  if (isScalar(node)) return [node];
  if (!isCollection(node)) return [];
  return node.items.flatMap((item) =>
    scalarsOf(typeof item === 'object' && item !== null && 'key' in item ? (item as Pair).value : item),
  );
}
