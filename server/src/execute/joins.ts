/** The one join: the distinct keys of all its places are collected, their values fetched at once and spliced in. */
import { ServiceError } from '../base/errors.ts';
import { ExactNumber, parseJson, printJson, RawJson } from '../base/json.ts';
import type { JoinPlan } from '../plan/plan.ts';
import { printJoin, type TableTarget } from '../print/roots.ts';
import type { ExecuteContext } from './context.ts';
import { Flawed } from './failures.ts';
import { noMatch } from './no-match.ts';
import { fetchRemoteJoin } from './remote.ts';
import { collectJoins, holdsJoins, type Shape } from './splice.ts';
import { createStatements, runStatement } from './statement.ts';

interface Place {
  readonly into: Record<string, unknown>;
  readonly alias: string;
}

/** The places of one join by key. */
interface Waiting {
  readonly byKey: Map<string, { readonly key: readonly unknown[]; readonly places: Place[] }>;
}

/** Gathers the places that joins fill, in values from anywhere and at any depth; then fills them all. */
export class JoinCollector {
  readonly #waiting = new Map<JoinPlan, Waiting>();

  /**
   * `into[alias]` is filled by `run`; until then it is what a key without a match gives. A key with a part that is null
   * or undefined matches nothing. Assign the member before, where its place among the members matters.
   */
  readonly add = (join: JoinPlan, into: Record<string, unknown>, alias: string, key: readonly unknown[]): void => {
    put(into, alias, noMatch(join.target));
    if (key.some((part) => part === null || part === undefined)) return;
    const waiting = this.#waiting.get(join) ?? { byKey: new Map() };
    this.#waiting.set(join, waiting);
    const name = key.length === 1 ? nameOf(key[0]) : printJson(key);
    const known = waiting.byKey.get(name);
    if (known === undefined) waiting.byKey.set(name, { key, places: [{ into, alias }] });
    else known.places.push({ into, alias });
  };

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
  const values =
    target.kind === 'table' ? await fetchRows(target, keys, context) : await fetchRemoteJoin(target, keys, context);
  entries.forEach(({ places }, index) => {
    const value = standing(values[index], places, context);
    for (const { into, alias } of places) put(into, alias, value);
  });
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
  target: TableTarget,
  keys: readonly (readonly unknown[])[],
  context: ExecuteContext,
): Promise<readonly unknown[]> {
  const inputs = Object.fromEntries(
    target.match.map((_, part) => [`keys${part}`, keys.map((key) => textOf(key[part]))]),
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

function shapeOf({ want }: TableTarget): Shape {
  if (want.shape === 'aggregate') return { kind: 'aggregate', aggregate: want.aggregate };
  return { kind: 'rows', fields: want.rows.fields };
}

/** Keys of one column are mostly plain numbers and strings, which need no printing to be told apart. */
function nameOf(part: unknown): string {
  if (typeof part === 'string') return `"${part}`;
  return typeof part === 'number' ? String(part) : printJson(part);
}

/** The text form of one part of a key, for a cast to the type of its column. */
function textOf(part: unknown): string {
  if (typeof part === 'string') {
    // An element of an array cannot hold it, nor can any value that it might match.
    if (part.includes('\0')) throw new ServiceError('data-exception', 'a join key holds the character NUL');
    return part;
  }
  if (typeof part === 'object') return part instanceof ExactNumber ? part.text : printJson(part);
  return String(part);
}

function put(into: Record<string, unknown>, alias: string, value: unknown): void {
  if (alias !== '__proto__') into[alias] = value;
  else Object.defineProperty(into, alias, { value, enumerable: true, writable: true, configurable: true });
}
