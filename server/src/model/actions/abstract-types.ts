/** Interfaces and unions of custom types, and the check that objects implement their interfaces. */
import type { Steps } from '../../base/steps.ts';
import type { OutputAbstract, OutputNamed, TypeRef } from '../types/action.ts';
import type { Entry, EntryOf } from './custom-type-entries.ts';
import { printType } from './type-expression.ts';

/** Connects objects with their interfaces and unions with their members. Requires that all fields are resolved. */
export function* connectAbstractTypes(entries: ReadonlyMap<string, Entry>): Steps<void> {
  for (const entry of entries.values()) {
    yield;
    if (entry.kind === 'union') fillUnion(entry, entries);
    if (entry.kind === 'object') implementAll(entry, entries);
  }
  // After all are connected, because the check of a field's type depends on all implementations.
  for (const entry of entries.values()) {
    yield;
    if (entry.kind === 'object') for (const one of entry.type.interfaces) compareFields(entry, one);
    if (entry.kind !== 'interface' || entry.type.members.length > 0) continue;
    entry.problems.push(`no object type implements it; write "implements": ["${entry.type.name}"] in one`);
  }
}

/** Removes dropped objects from their interfaces. Unions are dropped with their members. */
export function* removeDropped(entries: ReadonlyMap<string, Entry>): Steps<void> {
  for (const entry of entries.values()) {
    yield;
    if (entry.kind !== 'interface') continue;
    const valid = entry.type.members.filter(({ name }) => entries.get(name)?.problems.length === 0);
    entry.type.members.splice(0, Number.POSITIVE_INFINITY, ...valid);
  }
}

function fillUnion({ type, written, problems }: EntryOf<'union'>, entries: ReadonlyMap<string, Entry>): void {
  for (const name of new Set(written.types)) {
    const member = entries.get(name);
    if (member?.kind === 'object') type.members.push(member.type);
    else problems.push(`"${name}" is not an object type among the custom types; members of a union are object types`);
  }
  if (new Set(written.types).size < written.types.length) problems.push('a type is listed more than once');
}

function implementAll(object: EntryOf<'object'>, entries: ReadonlyMap<string, Entry>): void {
  for (const name of new Set(object.written.implements ?? [])) {
    const one = entries.get(name);
    if (one?.kind !== 'interface') {
      object.problems.push(`implements: "${name}" is not an interface among the custom types`);
      continue;
    }
    object.type.interfaces.push(one.type);
    one.type.members.push(object.type);
  }
}

function compareFields(object: EntryOf<'object'>, { name, fields }: OutputAbstract): void {
  for (const field of fields.values()) {
    const own = object.type.fields.get(field.name);
    const wanted = printType<OutputNamed>(field.type, (named) => named.name);
    if (own === undefined) {
      object.problems.push(`interface "${name}" has a field "${field.name}" of type ${wanted}; add it`);
    } else if (!isSubtype(own.type, field.type)) {
      const found = printType<OutputNamed>(own.type, (named) => named.name);
      object.problems.push(`field "${field.name}" has type ${found}, and interface "${name}" has ${wanted}`);
    }
  }
}

/** Whether `own` is a subtype of `wanted`. */
function isSubtype(own: TypeRef<OutputNamed>, wanted: TypeRef<OutputNamed>): boolean {
  if (wanted.kind === 'nonNull') return own.kind === 'nonNull' && isSubtype(own.of, wanted.of);
  if (own.kind === 'nonNull') return isSubtype(own.of, wanted);
  if (own.kind === 'list' || wanted.kind === 'list') {
    return own.kind === 'list' && wanted.kind === 'list' && isSubtype(own.of, wanted.of);
  }
  if (own.type === wanted.type) return true;
  return wanted.type.kind === 'abstract' && own.type.kind === 'object' && wanted.type.members.includes(own.type);
}
