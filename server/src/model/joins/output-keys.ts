/** Lists for the fields of an output type which columns of a table they can be mapped to, and why not. */
import type { RelationshipKey } from '@joinery/metadata/api/sources/catalog';
import { namedIn, printType } from '../actions/type-expression.ts';
import type { Model } from '../model.ts';
import { typeText } from '../predicate/key-types.ts';
import type { OutputField, OutputNamed, OutputObject } from '../types/action.ts';
import type { Table } from '../types/table.ts';
import { outputMismatch } from './action-joins.ts';

export function outputKeys(object: OutputObject, table: Table): readonly RelationshipKey[] {
  return [...object.fields.values()].map((field) => ({
    field: field.name,
    type: printType<OutputNamed>(field.type, (named) => named.name),
    columns: columnsFor(field, table),
  }));
}

function columnsFor(field: OutputField, table: Table): RelationshipKey['columns'] {
  return [...table.columnsByName.values()].map(({ name, type }) => {
    const problem = outputMismatch(field, type);
    return { column: name, type: typeText(type), ...(problem !== undefined && { problem }) };
  });
}

/** The output type of that name, if the output of an action contains it at any depth. */
export function findOutputObject(model: Model, name: string): OutputObject | undefined {
  const seen = new Set<OutputNamed>();
  const waiting = [...model.actions.values()].map(({ output }) => namedIn(output));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (next.kind !== 'object' && next.kind !== 'abstract') continue;
    if (next.kind === 'object' && next.name === name) return next;
    waiting.push(...[...next.fields.values()].map(({ type }) => namedIn(type)));
    if (next.kind === 'abstract') waiting.push(...next.members);
  }
  return undefined;
}
