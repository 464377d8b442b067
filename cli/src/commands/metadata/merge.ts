/** Updates the YAML of a project to newer metadata: rewrites only what differs and keeps comments. */

import { dirname, posix } from 'node:path';
import { isJsonObject } from '@joinery/metadata/json';
import type { Members } from '@joinery/metadata/sdl/actions';
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Document as NewDocument,
  type Node,
  Pair,
  Scalar,
  visit,
} from 'yaml';
import type { Place } from '../../cli-error.ts';
import { kindOf, withSameSchema, withSchema } from '../../project/editor-schemas.ts';
import { type MetadataFiles, pairOf, scalarsOf } from '../../project/metadata-files.ts';
import { INCLUDE } from '../../project/yaml-file.ts';
import { removeAnchors, removeOwnAnchor } from './anchors.ts';
import { identities, identity, isSame } from './objects.ts';

/** The path of a value as member names; `*` for elements. */
type Trail = readonly string[];

/** The old and the new value, both in the form of an export. */
interface Versions {
  readonly was: unknown;
  readonly is: unknown;
}

interface Spot {
  readonly file: string;
  readonly document: Document;
  readonly trail: Trail;
}

export interface PlacedMember {
  readonly name: string;
  /** The place of the name in the files. */
  readonly place: Place;
}

export class MetadataMerge {
  readonly #files: MetadataFiles;
  /** Whether new tables, functions and source members get files of their own. */
  readonly #split: boolean;
  /** Whether new files refer to the JSON Schema of their kind. */
  readonly #schemas: boolean;
  /** The members that new files have. */
  readonly #created = new Map<string, Trail>();
  readonly #documents = new Map<string, Document>();
  readonly #changed = new Set<string>();
  readonly #roots = new Set<string>();

  constructor(files: MetadataFiles, options: { readonly split: boolean; readonly schemas?: boolean }) {
    this.#files = files;
    this.#split = options.split;
    this.#schemas = options.schemas ?? false;
    for (const [file, { document }] of files.read) this.#documents.set(file, document);
  }

  /** Removes the members of the files whose names are at these places. Call it before `root`. */
  remove(members: readonly PlacedMember[]): void {
    const names = new Map(members.map(({ name, place }) => [written(place), name]));
    for (const [file, { document, place }] of this.#files.read) {
      visit(document, {
        Pair: (_key, { key, value }) => {
          if (!isScalar(key) || names.get(written(place(key.range?.[0]))) !== key.value) return undefined;
          this.#changed.add(file);
          removeAnchors(document, [key, value]);
          return visit.REMOVE;
        },
      });
    }
  }

  /** Writes the value at `trail` as the root of `file`. An empty value has no file unless it is `kept`. */
  root(file: string, versions: Versions, trail: Trail, kept = false): void {
    this.#roots.add(file);
    const { was, is } = versions;
    const document = this.#documents.get(file);
    if (document === undefined) {
      if (isEmpty(is) && !kept) return;
      this.#create(file, is ?? [], trail);
    } else if (isSame(was, is) || (isEmpty(was) && isEmpty(is))) return;
    else if (isEmpty(is) && !kept) this.#roots.delete(file);
    else {
      const contents = document.contents as Node | null;
      document.contents = this.#merged(contents, versions, { file, document, trail }) as never;
    }
  }

  /** The content of the files to write, and the files that nothing includes any more. */
  finish(): { readonly write: ReadonlyMap<string, string>; readonly remove: readonly string[] } {
    const reached = new Set<string>();
    const reach = (file: string): void => {
      if (reached.has(file)) return;
      reached.add(file);
      for (const node of scalarsOf(this.#documents.get(file)?.contents)) {
        const target = this.#files.included(file, node);
        if (target !== undefined) reach(target);
      }
    };
    for (const file of this.#roots) reach(file);
    const write = new Map<string, string>();
    for (const file of this.#changed) {
      const document = this.#documents.get(file);
      if (document !== undefined && reached.has(file)) write.set(file, this.#text(file, document));
    }
    const remove = [...this.#files.read.keys()].filter((file) => !reached.has(file) && file !== 'version.yaml');
    return { write, remove };
  }

  /** Keeps the formatting of an existing file. */
  #text(file: string, document: Document): string {
    const before = this.#files.read.get(file)?.text ?? '';
    const flat = /^( *)[^\s#-][^\n]*:[ ]*\n\1- /m.test(before);
    const text = document.toString({ lineWidth: 0, indentSeq: !flat, blockQuote: 'literal' });
    const trail = this.#schemas ? this.#created.get(file) : undefined;
    const kind = trail === undefined ? undefined : kindOf(file, trail);
    return kind === undefined ? withSameSchema(before, text) : withSchema(file, kind, text);
  }

  #merged(node: Node | null, { was, is }: Versions, spot: Spot): Node {
    if (node !== null && isSame(was, is)) return node;
    const target = this.#files.included(spot.file, node);
    const document = target === undefined ? undefined : this.#documents.get(target);
    if (node !== null && target !== undefined && document !== undefined) {
      const contents = document.contents as Node | null;
      document.contents = this.#merged(contents, { was, is }, { ...spot, file: target, document }) as never;
      return node;
    }
    if (node !== null) removeOwnAnchor(spot.document, node);
    const mergeable = isMap(node) && pairOf(node.items as never, '<<') === undefined && isJsonObject(is);
    if (mergeable && (was === undefined || isJsonObject(was))) {
      this.#mergeMap(node, { was: was ?? {}, is }, spot);
      return node;
    }
    if (isSeq(node) && Array.isArray(is) && (was === undefined || Array.isArray(was))) {
      if (this.#mergeSeq(node, (was ?? []) as readonly unknown[], is, spot)) return node;
    }
    return this.#replaced(node, is, spot);
  }

  #mergeMap(node: { items: unknown[] }, versions: Versions, spot: Spot): void {
    const [was, is] = [versions.was as Members, versions.is as Members];
    const items = node.items as Pair<Node, Node | null>[];
    for (const key of Object.keys(was)) {
      if (Object.hasOwn(is, key)) continue;
      const pair = pairOf(items, key);
      if (pair === undefined) continue;
      removeAnchors(spot.document, [pair.key, pair.value]);
      items.splice(items.indexOf(pair as never), 1);
      this.#changed.add(spot.file);
    }
    let after = -1;
    for (const [key, value] of Object.entries(is)) {
      const within = { ...spot, trail: [...spot.trail, key] };
      const pair = pairOf(items, key) as Pair<Node, Node | null> | undefined;
      if (pair !== undefined) {
        pair.value = this.#merged(pair.value, { was: was[key], is: value }, within);
        after = items.indexOf(pair);
      } else if (!isSame(was[key], value)) {
        after += 1;
        items.splice(after, 0, new Pair(spot.document.createNode(key) as Node, this.#fresh(value, within)));
      }
    }
  }

  /** Returns false where the elements have no identity. */
  #mergeSeq(
    node: { items: unknown[]; flow?: boolean },
    was: readonly unknown[],
    is: readonly unknown[],
    spot: Spot,
  ): boolean {
    const [old, now] = [identities(was), identities(is)];
    const there = node.items.map((item) => identity(this.#raw(item as Node, spot)));
    if (old === undefined || now === undefined || new Set(there).size !== there.length) return false;
    const common = (list: readonly string[]) => list.filter((name) => old.includes(name) && now.includes(name));
    const isReordered = !isSame(common(old), common(now));
    // An alias must not come before its anchor.
    const isKept = (name = ''): boolean =>
      !isReordered && old.includes(name) && isSame(was[old.indexOf(name)], is[now.indexOf(name)]);
    removeAnchors(
      spot.document,
      node.items.filter((_item, index) => !isKept(there[index])),
    );
    const within = { ...spot, trail: [...spot.trail, '*'] };
    const split = this.#splits(node.items, spot);
    const kept = node.items.filter((_item, index) => {
      const name = there[index];
      return name === undefined || now.includes(name) || !old.includes(name);
    });
    const names = there.filter((name) => name === undefined || now.includes(name) || !old.includes(name));
    if (kept.length < node.items.length) this.#changed.add(spot.file);
    if (isReordered) {
      this.#changed.add(spot.file);
      const rank = (name: string | undefined) => now.indexOf(name ?? '');
      const order = names.map((name, index) => ({ name, item: kept[index] }));
      order.sort((one, other) => rank(one.name) - rank(other.name));
      kept.splice(0, kept.length, ...order.map(({ item }) => item));
      names.splice(0, names.length, ...order.map(({ name }) => name));
    }
    // An empty list is written as `[]`.
    if (kept.length === 0) node.flow = false;
    let after = -1;
    for (const [index, name] of now.entries()) {
      const [before, value] = [was[old.indexOf(name)], is[index]];
      const position = names.indexOf(name);
      if (position >= 0) {
        kept[position] = this.#merged(kept[position] as Node, { was: before, is: value }, within);
        after = position;
      } else if (!isSame(before, value)) {
        after += 1;
        this.#changed.add(spot.file);
        kept.splice(after, 0, split ? this.#include(value, within) : this.#fresh(value, within));
        names.splice(after, 0, name);
      }
    }
    node.items.splice(0, node.items.length, ...kept);
    return true;
  }

  /** Whether the elements of this list have files of their own. */
  #splits(items: readonly unknown[], { file, trail }: Spot): boolean {
    if (!isListOfFiles(trail)) return false;
    if (items.length === 0) return this.#split && !this.#roots.has(file);
    return items.every((item) => this.#files.included(file, item) !== undefined);
  }

  /** Keeps the comments and the formatting of the old node. */
  #replaced(node: Node | null, is: unknown, spot: Spot): Node {
    const fresh = this.#fresh(is, spot);
    if (node === null) return fresh;
    removeAnchors(spot.document, [node]);
    fresh.commentBefore = node.commentBefore ?? null;
    fresh.comment = node.comment ?? null;
    if (node.spaceBefore === true) fresh.spaceBefore = true;
    if (isSeq(node) && isSeq(fresh) && node.flow === true) fresh.flow = true;
    if (isScalar(node) && isScalar(fresh) && typeof node.value === 'string' && node.type !== undefined) {
      fresh.type = node.type as Scalar.Type;
    }
    return fresh;
  }

  #fresh(value: unknown, spot: Spot): Node {
    const { trail, document } = spot;
    this.#changed.add(spot.file);
    if (this.#split && trail.length === 1 && trail[0] === 'sources') {
      const seq = document.createNode([]) as unknown as Node & { items: unknown[] };
      const within = { ...spot, trail: [...trail, '*'] };
      for (const source of value as readonly unknown[]) seq.items.push(this.#fresh(source, within));
      return seq;
    }
    if (this.#split && trail.length === 2 && trail[0] === 'sources') {
      const source = value as Members;
      const node = document.createNode({ name: source.name, kind: source.kind }) as unknown as { items: unknown[] };
      for (const [key, member] of Object.entries(source)) {
        if (key === 'name' || key === 'kind') continue;
        const within = { ...spot, trail: [...trail, key] };
        const pair = isListOfFiles(within.trail)
          ? this.#list(String(source.name), key, member, within)
          : this.#fresh(member, within);
        node.items.push(new Pair(document.createNode(key), pair));
      }
      return node as unknown as Node;
    }
    return document.createNode(value) as Node;
  }

  /** Writes a source's tables or functions as `<source>/tables/tables.yaml` and one file per element. */
  #list(source: string, key: string, elements: unknown, { file, trail }: Spot): Node {
    const relative = posix.join(safe(source), key, `${key}.yaml`);
    const path = posix.join(dirname(file), relative);
    const document = new NewDocument([]);
    this.#documents.set(path, document);
    this.#changed.add(path);
    this.#created.set(path, trail);
    const items = (document.contents as unknown as { items: unknown[] }).items;
    for (const element of elements as readonly unknown[]) {
      items.push(this.#include(element, { file: path, document, trail: [...trail, '*'] }));
    }
    return includeNode(relative);
  }

  /** Creates a file next to `spot` and returns the node that includes it. */
  #include(value: unknown, { file, trail }: Spot): Node {
    this.#changed.add(file);
    const base = safe((identity(value) ?? 'entry').replace('.', '_'));
    const folder = dirname(file);
    const taken = new Set([...this.#documents.keys()].map((path) => path.toLowerCase()));
    let name = `${base}.yaml`;
    for (let count = 2; taken.has(posix.join(folder, name).toLowerCase()); count += 1) name = `${base}-${count}.yaml`;
    this.#create(posix.join(folder, name), value, trail);
    return includeNode(name);
  }

  #create(file: string, value: unknown, trail: Trail): void {
    const document = new NewDocument(null);
    this.#documents.set(file, document as Document);
    this.#changed.add(file);
    this.#created.set(file, trail);
    document.contents = this.#fresh(value, { file, document: document as Document, trail }) as never;
  }

  /** Returns the value of the node, with the file that it includes. */
  #raw(node: Node, { file, document }: Spot): unknown {
    const target = this.#files.included(file, node);
    if (target !== undefined) return this.#documents.get(target)?.toJS();
    const resolved = isAlias(node) ? node.resolve(document) : node;
    return resolved?.toJS(document);
  }
}

function written({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`;
}

function isListOfFiles(trail: Trail): boolean {
  return trail.length === 3 && trail[0] === 'sources' && (trail[2] === 'tables' || trail[2] === 'functions');
}

function includeNode(file: string): Node {
  const node = new Scalar(INCLUDE + file);
  node.type = Scalar.QUOTE_DOUBLE;
  return node;
}

/** Returns a file name that is valid on every operating system. */
function safe(name: string): string {
  return name.replace(/[^\w.-]/g, '_').replace(/^\.+/, '_');
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
