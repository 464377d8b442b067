/** Reads the YAML files of a project's metadata once, with their includes, as values with places. */
import { readFile } from 'node:fs/promises';
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

export function metadataFiles(folder: string): MetadataFiles {
  const read = new Map<string, YamlFile>();
  const shown = (file: string) => join(folder, file);

  async function text(file: string): Promise<string | undefined> {
    try {
      return await readFile(shown(file), 'utf8');
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      throw new CliError(`${shown(file)} cannot be read: ${message}`, { cause });
    }
  }

  async function parse(file: string): Promise<YamlFile | undefined> {
    const known = read.get(file);
    if (known !== undefined) return known;
    const content = await text(file);
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
  async function value(file: string, within: readonly string[] = []): Promise<unknown> {
    const parsed = await parse(file);
    if (parsed === undefined) return undefined;
    const { document } = parsed;
    const hasIncludes = document.contents !== null && (await loadIncludes(parsed, file, [...within, file]));
    const plain = yamlValue(parsed);
    return hasIncludes ? replaceIncludes(plain, file, [...within, file]) : plain;
  }

  async function loadIncludes(parsed: YamlFile, file: string, within: readonly string[]): Promise<boolean> {
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
      if ((await value(target, within)) === undefined) {
        const message = `${shown(target)} does not exist; create it or remove the !include`;
        throw new CliError({ message, place });
      }
    }
    return found;
  }

  async function replaceIncludes(plain: unknown, file: string, within: readonly string[]): Promise<unknown> {
    if (typeof plain === 'string' && plain.startsWith(INCLUDE)) {
      const target = relative(resolve(folder), resolve(folder, dirname(file), plain.slice(INCLUDE.length).trim()));
      return value(target.split(sep).join('/'), within);
    }
    if (Array.isArray(plain)) return Promise.all(plain.map((item) => replaceIncludes(item, file, within)));
    if (typeof plain !== 'object' || plain === null) return plain;
    const members = Object.entries(plain).map(
      async ([name, member]) => [name, await replaceIncludes(member, file, within)] as const,
    );
    return Object.fromEntries(await Promise.all(members));
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

  return { folder, value: (file) => value(file), text, read, included, place };
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
