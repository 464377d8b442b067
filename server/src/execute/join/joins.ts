/** The one join: the distinct keys of all its places are collected, their values fetched at once and spliced in. */
import { parseJson, RawJson } from '../../base/json-value.ts';
import type { JoinPlan, JoinTarget, RemoteTarget, RowsTarget } from '../../plan/plan/query.ts';
import { keyTypes, printJoin } from '../../print/roots.ts';
import type { OnJoin } from '../action/check-output.ts';
import type { ExecuteContext } from '../context/context.ts';
import { createStatements, runStatement } from '../context/statement.ts';
import { applyMembers } from '../remote/members.ts';
import { fetchRemoteJoin } from '../remote/remote.ts';
import { Flawed } from '../response/field-errors.ts';
import { fetchActionJoin } from './action-join.ts';
import { noMatch } from './empty-result.ts';
import { collectJoins, holdsJoins, type Shape } from './key-collector.ts';
import { type JoinKeyValue, matchesNothing, nameOfKey, textOfPart } from './keys.ts';

interface Place {
  readonly into: Record<string, unknown>;
  readonly alias: string;
}

/** The places of one join by key. */
interface Waiting {
  readonly byKey: Map<string, { readonly key: JoinKeyValue; readonly places: Place[] }>;
}

/** Gathers the places that joins fill, in values from anywhere and at any depth; then fills them all. */
export class JoinCollector {
  readonly #waiting = new Map<JoinPlan, Waiting>();

  /**
   * `into[alias]` is filled by `run`; until then it is what a key without a match gives. A key with a part that is null
   * or undefined matches nothing. Assign the member before, where its place among the members matters.
   */
  readonly add: OnJoin = (join, into, alias, key) => {
    const { target } = join;
    put(into, alias, noMatch(target));
    const list = target.kind === 'table' ? target.list : undefined;
    if (matchesNothing(key, list)) return;
    if (list === undefined || target.kind !== 'table' || target.want.shape !== 'object') {
      this.#wait(join, into, alias, key);
      return;
    }
    const items = key[list];
    if (!Array.isArray(items)) return;
    const places = new Array<unknown>(items.length).fill(null);
    put(into, alias, places);
    items.forEach((item: unknown, index) => {
      if (item === null) return;
      this.#wait(join, places as unknown as Place['into'], String(index), key.with(list, item));
    });
  };

  #wait(join: JoinPlan, into: Place['into'], alias: string, key: JoinKeyValue): void {
    const waiting = this.#waiting.get(join) ?? { byKey: new Map() };
    this.#waiting.set(join, waiting);
    const name = nameOfKey(key);
    const known = waiting.byKey.get(name);
    if (known === undefined) waiting.byKey.set(name, { key, places: [{ into, alias }] });
    else known.places.push({ into, alias });
  }

  /** One statement or upstream request for each join, all at once; then those of the rows that were fetched. */
  async run(context: ExecuteContext): Promise<void> {
    const joins = [...this.#waiting];
    this.#waiting.clear();
    await Promise.all(joins.map(([join, waiting]) => fill(join, waiting, context)));
  }
}

async function fill({ target }: JoinPlan, waiting: Waiting, context: ExecuteContext): Promise<void> {
  const entries = [...waiting.byKey.values()];
  const keys = entries.map(({ key }) => key);
  const values = await fetch(target, keys, context);
  entries.forEach(({ places }, index) => {
    const value = standing(values[index], places, context);
    for (const { into, alias } of places) put(into, alias, value);
  });
}

/** For each key, in their order, what belongs to it. */
async function fetch(
  target: JoinTarget,
  keys: readonly JoinKeyValue[],
  context: ExecuteContext,
): Promise<readonly unknown[]> {
  switch (target.kind) {
    case 'table':
      return await fetchRows(target, keys, context);
    case 'remote': {
      const values = await fetchRemoteJoin(target, keys, context);
      await finishRemote(
        values.map((value) => [target.members, value]),
        context,
      );
      return values;
    }
    case 'action': {
      const collector = new JoinCollector();
      const values = await fetchActionJoin(target, keys, context, collector.add);
      await collector.run(context);
      return values;
    }
    default:
      return target satisfies never;
  }
}

/** Makes values of remote schemas ours: names of types, and what their joins bring. */
export async function finishRemote(
  values: readonly (readonly [members: RemoteTarget['members'], value: unknown])[],
  context: ExecuteContext,
): Promise<void> {
  const collector = new JoinCollector();
  for (const [members, value] of values) {
    if (members !== undefined) applyMembers(members, value instanceof Flawed ? value.value : value, collector.add);
  }
  await collector.run(context);
}

/** What stands of a value that came with errors, which are noted. Without a place for errors the first is thrown. */
function standing(value: unknown, places: readonly Place[], { failures }: ExecuteContext): unknown {
  if (!(value instanceof Flawed)) return value;
  if (failures === undefined) throw value.faults[0]?.error;
  failures.atPlaces(places, value.faults);
  return value.value;
}

const statements = createStatements(printJoin);

/** For each key, in their order, the JSON of what matches. */
async function fetchRows(
  target: RowsTarget,
  keys: readonly JoinKeyValue[],
  context: ExecuteContext,
): Promise<readonly unknown[]> {
  const types = keyTypes(target);
  const inputs = Object.fromEntries(
    types.map((type, part) => [`keys${part}`, keys.map((key) => textOfPart(key[part], type))]),
  );
  const statement = statements(target, context.settings);
  const rows = await runStatement(statement, target.source, context, inputs);
  const values = new Array<unknown>(keys.length).fill(null);
  for (const [position, text] of rows) {
    if (text !== null && text !== undefined) values[Number(position) - 1] = new RawJson(text);
  }
  const shape = shapeOf(target);
  if (!holdsJoins(shape)) return values;
  const collector = new JoinCollector();
  const parsed = values.map((value) => (value instanceof RawJson ? parseJson(value.text) : value));
  for (const value of parsed) collectJoins(shape, value, collector.add);
  await collector.run(context);
  return parsed;
}

function shapeOf({ want }: RowsTarget): Shape {
  if (want.shape === 'aggregate') return { kind: 'aggregate', aggregate: want.aggregate };
  return { kind: 'rows', fields: want.rows.fields };
}

function put(into: Record<string, unknown>, alias: string, value: unknown): void {
  if (alias !== '__proto__') into[alias] = value;
  else Object.defineProperty(into, alias, { value, enumerable: true, writable: true, configurable: true });
}
