/** The names of the types that the Relay schema adds, which tables and actions may have taken. */
import { namedIn } from '../../model/actions/type-expression.ts';
import { typeName } from '../../model/names/source-names.ts';
import type { Action, InputNamed, OutputNamed } from '../../model/types/action.ts';
import type { Table } from '../../model/types/table.ts';
import { clientTypeName } from '../convention.ts';
import type { TypeRegistry } from '../registry.ts';

/** The names of the types of a table's connection. */
export interface ConnectionNames {
  readonly connection: string;
  readonly edge: string;
}

const known = new WeakMap<TypeRegistry, ReadonlyMap<Table, ConnectionNames>>();

/** Returns `authorConnection` and `authorEdge`, with `_` behind a name that another type has. They are equal for all roles. */
export function connectionNames({ plain }: TypeRegistry, table: Table): ConnectionNames {
  const all = known.get(plain) ?? resolveNames(plain);
  known.set(plain, all);
  const names = all.get(table);
  if (names === undefined) throw new Error(`table "${table.name}" has no connection`);
  return names;
}

function resolveNames({ model }: TypeRegistry): ReadonlyMap<Table, ConnectionNames> {
  const sources = [...model.sources.values()];
  const tables = sources.flatMap((source) => [...source.tables.values()]);
  const shown = (table: Table, kind = '') => {
    const name = typeName(table, kind);
    return model.sources.get(table.source)?.convention === undefined ? name : clientTypeName(name);
  };
  const taken = new Set<string>([
    ...tables.map((table) => shown(table)),
    ...tables.flatMap(({ columns }) => [...columns.values()].map(({ type }) => type.scalar)),
    ...sources.flatMap(({ namespace }) => (namespace === undefined ? [] : Object.values(namespace.types))),
    ...typeNamesOf(model.actions.values()),
  ]);
  const free = (name: string): string => {
    if (taken.has(name)) return free(`${name}_`);
    taken.add(name);
    return name;
  };
  const keyed = tables.filter(({ primaryKey }) => primaryKey !== undefined);
  return new Map(
    keyed.map((table) => [table, { connection: free(shown(table, 'Connection')), edge: free(shown(table, 'Edge')) }]),
  );
}

/** Returns the names of the types that the arguments and results of the actions have. */
export function typeNamesOf(actions: Iterable<Action>): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (type: InputNamed | OutputNamed): void => {
    if (names.has(type.name)) return;
    names.add(type.name);
    if (type.kind === 'object' || type.kind === 'abstract') {
      for (const field of type.fields.values()) add(namedIn(field.type));
    }
    if (type.kind === 'object') for (const one of type.interfaces ?? []) add(one);
    if (type.kind === 'abstract') for (const one of type.members) add(one);
    if (type.kind === 'input') for (const field of type.fields.values()) add(namedIn(field.type));
  };
  for (const action of actions) {
    add(namedIn(action.output));
    for (const argument of action.arguments) add(namedIn(argument.type));
  }
  return names;
}
