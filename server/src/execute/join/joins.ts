/** Executes joins: collects the distinct keys of all joined fields, fetches their values and fills the fields. */
import { parseJson, RawJson, setMember } from '../../base/json-value.ts';
import type { AggregatePart, JoinPlan, JoinTarget, RemoteTarget, RowsTarget } from '../../plan/plan/query.ts';
import { keyTypes, printJoin } from '../../print/roots.ts';
import type { OnJoin } from '../action/check-output.ts';
import type { ExecuteContext } from '../context/context.ts';
import { createStatements, runStatement } from '../context/statement.ts';
import { applyMembers } from '../remote/members.ts';
import { fetchRemoteJoin } from '../remote/remote.ts';
import { PartialResult } from '../response/field-errors.ts';
import { fetchActionJoin } from './action-join.ts';
import { collectJoins, holdsJoins, type Shape } from './key-collector.ts';
import { type JoinKeyValue, matchesNothing, nameOfKey, textOfPart } from './keys.ts';

/** A member of an object, or an element of a list, whose index is the alias. */
interface Place {
  readonly into: Record<string, unknown> | unknown[];
  readonly alias: string;
}

/** The places of one join by key. */
interface PendingJoin {
  readonly byKey: Map<string, { readonly key: JoinKeyValue; readonly places: Place[] }>;
}

/** Collects the joined fields of values, and fills them. */
export class JoinCollector {
  readonly #waiting = new Map<JoinPlan, PendingJoin>();

  /**
   * Registers `into[alias]`, which is filled by `run`, and sets it to the value without a match. A key with a null or
   * undefined part matches nothing.
   */
  readonly add: OnJoin = (join, into, alias, key) => {
    const { target } = join;
    setMember(into, alias, emptyResult(target));
    const list = target.kind === 'table' ? target.list : undefined;
    if (matchesNothing(key, list)) return;
    if (list === undefined || target.kind !== 'table' || target.want.shape !== 'object') {
      this.#wait(join, into, alias, key);
      return;
    }
    const items = key[list];
    if (!Array.isArray(items)) return;
    const places = new Array<unknown>(items.length).fill(null);
    setMember(into, alias, places);
    items.forEach((item: unknown, index) => {
      if (item === null) return;
      this.#wait(join, places, String(index), key.with(list, item));
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

  /** Fetches all joins concurrently, with one statement or request each, and then the joins in the fetched values. */
  async run(context: ExecuteContext): Promise<void> {
    const joins = [...this.#waiting];
    this.#waiting.clear();
    await Promise.all(joins.map(([join, waiting]) => fill(join, waiting, context)));
  }
}

async function fill({ target }: JoinPlan, waiting: PendingJoin, context: ExecuteContext): Promise<void> {
  const entries = [...waiting.byKey.values()];
  const keys = entries.map(({ key }) => key);
  const values = await fetch(target, keys, context);
  entries.forEach(({ places }, index) => {
    const value = withoutErrors(values[index], places, context);
    for (const place of places) fillPlace(place, value);
  });
}

function fillPlace({ into, alias }: Place, value: unknown): void {
  if (Array.isArray(into)) into[Number(alias)] = value;
  else setMember(into, alias, value);
}

/** Returns the value for each key, in order. */
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

/** Processes values of remote schemas: maps type names, fills joins and removes phantoms. */
export async function finishRemote(
  values: readonly (readonly [members: RemoteTarget['members'], value: unknown])[],
  context: ExecuteContext,
): Promise<void> {
  const collector = new JoinCollector();
  for (const [members, value] of values) {
    if (members !== undefined)
      applyMembers(members, value instanceof PartialResult ? value.value : value, collector.add);
  }
  await collector.run(context);
}

/** Returns the value without its errors, which are recorded. Throws the first error if errors cannot be recorded. */
function withoutErrors(value: unknown, places: readonly Place[], { failures }: ExecuteContext): unknown {
  if (!(value instanceof PartialResult)) return value;
  if (failures === undefined) throw value.errors[0]?.error;
  failures.atPlaces(places, value.errors);
  return value.value;
}

const statements = createStatements(printJoin);

/** Returns the JSON of the matching rows for each key, in order. */
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

/** Returns the value of a join without a match: null, `[]` for a list, or the aggregate of no rows. */
function emptyResult(target: JoinTarget): unknown {
  if (target.kind !== 'table') return null;
  const { want } = target;
  if (want.shape === 'aggregate') return membersOf(want.aggregate.parts, emptyPart);
  return want.shape === 'array' ? [] : null;
}

function emptyPart(part: AggregatePart): unknown {
  switch (part.kind) {
    case 'constant':
      return part.value;
    case 'nodes':
      return [];
    case 'aggregate':
      return membersOf(part.members, (member) => {
        if (member.kind === 'constant') return member.value;
        if (member.kind === 'count') return 0;
        return membersOf(member.members, (one) => (one.kind === 'constant' ? one.value : null));
      });
    default:
      return part satisfies never;
  }
}

function membersOf<Member extends { readonly alias: string }>(
  members: readonly Member[],
  toValue: (member: Member) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(members.map((member) => [member.alias, toValue(member)]));
}
