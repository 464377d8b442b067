/** Interfaces and unions of custom types: their members, and whether these have what they promise. */
import type { Steps } from '../../base/steps.ts';
import type { OutputAbstract, OutputNamed, TypeRef } from '../types/action.ts';
import type { Entry, EntryOf } from './custom-type-entries.ts';
import { printType } from './type-expression.ts';

/** Connects objects with the interfaces they implement and unions with their members. Fields must be there already. */
export function* connectAbstractTypes(entries: ReadonlyMap<string, Entry>): Steps<void> {
  for (const entry of entries.values()) {
    yield;
    if (entry.kind === 'union') fillUnion(entry, entries);
    if (entry.kind === 'object') implementAll(entry, entries);
  }
  // Only now: what is an implementation of a field's type depends on all of them.
  for (const entry of entries.values()) {
    yield;
    if (entry.kind === 'object') for (const one of entry.type.interfaces) compareFields(entry, one);
    if (entry.kind !== 'interface' || entry.type.members.length > 0) continue;
    entry.problems.push(`no object type implements it; write "implements": ["${entry.type.name}"] in one`);
  }
}

/** Takes dropped objects out of the interfaces that they implement. Unions are dropped with their members. */
export function* forgetDropped(entries: ReadonlyMap<string, Entry>): Steps<void> {
  for (const entry of entries.values()) {
    yield;
    if (entry.kind !== 'interface') continue;
    const sound = entry.type.members.filter(({ name }) => entries.get(name)?.problems.length === 0);
    entry.type.members.splice(0, Number.POSITIVE_INFINITY, ...sound);
  }
}

function fillUnion({ type, written, problems }: EntryOf<'union'>, entries: ReadonlyMap<string, Entry>): void {
  for (const name of new Set(written.types)) {
    const member = entries.get(name);
    if (member?.kind === 'object') type.members.push(member.type);
    else problems.push(`"${name}" is no object type among the custom types; a union is made of those`);
  }
  if (new Set(written.types).size < written.types.length) problems.push('a type is there more than once');
}

function implementAll(object: EntryOf<'object'>, entries: ReadonlyMap<string, Entry>): void {
  for (const name of new Set(object.written.implements ?? [])) {
    const one = entries.get(name);
    if (one?.kind !== 'interface') {
      object.problems.push(`implements: "${name}" is no interface among the custom types`);
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
    } else if (!isPartOf(own.type, field.type)) {
      const found = printType<OutputNamed>(own.type, (named) => named.name);
      object.problems.push(`field "${field.name}" has type ${found}, and interface "${name}" wants ${wanted}`);
    }
  }
}

/** Is every value of `own` one of `wanted`? */
function isPartOf(own: TypeRef<OutputNamed>, wanted: TypeRef<OutputNamed>): boolean {
  if (wanted.kind === 'nonNull') return own.kind === 'nonNull' && isPartOf(own.of, wanted.of);
  if (own.kind === 'nonNull') return isPartOf(own.of, wanted);
  if (own.kind === 'list' || wanted.kind === 'list') {
    return own.kind === 'list' && wanted.kind === 'list' && isPartOf(own.of, wanted.of);
  }
  if (own.type === wanted.type) return true;
  return wanted.type.kind === 'abstract' && own.type.kind === 'object' && wanted.type.members.includes(own.type);
}
