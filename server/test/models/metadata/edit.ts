/** The parts of edits: commands, rejections, and how entries of lists are found and added. */
import type { Document, Entry, Table } from './documents.ts';

/** A command as it is sent, with short table names. */
export interface Command {
  readonly type: string;
  readonly args: Entry;
}

/** A command that the model rejects with a code of the API. */
export class Rejected extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** What a command does to a document. Throws Rejected. */
export type EditOf = (document: Document, args: Entry) => Document;

export function rejected(code: string): never {
  throw new Rejected(code);
}

/** Returns the table that the arguments name. */
export function tableOf(document: Document, args: Entry): Table {
  return document.tables.find(({ table }) => table.name === args.table) ?? rejected('not-exists');
}

/** Returns the relationships between tables. */
export function relationshipsOf({ object_relationships = [], array_relationships = [] }: Table): readonly Entry[] {
  return [...object_relationships, ...array_relationships];
}

/** Returns the name of the table that a relationship leads to. */
export function targetOf({ using }: Entry): string {
  const { foreign_key_constraint_on: key, manual_configuration: manual } = using as {
    readonly foreign_key_constraint_on?: string | { readonly table: { readonly name: string } };
    readonly manual_configuration?: { readonly remote_table: { readonly name: string } };
  };
  if (manual !== undefined) return manual.remote_table.name;
  return typeof key === 'object' ? key.table.name : 'author';
}

/** Whether the table has a relationship of any kind with the name of the arguments. */
export function hasRelationship(table: Table, args: Entry): boolean {
  return [...relationshipsOf(table), ...(table.remote_relationships ?? [])].some(({ name }) => name === args.name);
}

/** Returns those of the members that the arguments have. */
export function members(args: Entry, ...names: readonly string[]): Entry {
  return Object.fromEntries(names.filter((name) => args[name] !== undefined).map((name) => [name, args[name]]));
}

/** Adds an entry to a list of the document, unless one has the name already. */
export function addUnless<One extends Entry>(list: readonly One[], entry: One, name: string): readonly One[] {
  if (list.some((one) => one[name] === entry[name])) rejected('already-exists');
  return [...list, entry];
}

/** Returns the entry whose member has this value. */
export function find<One extends Entry>(list: readonly One[], member: string, name: unknown, code = 'not-exists'): One {
  return list.find((one) => one[member] === name) ?? rejected(code);
}
