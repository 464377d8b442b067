/** Executes joins: collects the distinct keys of all joined fields, fetches their values and fills the fields. */
import { printJson, RawJson, setMember } from '../../base/json-value.ts';
import type {
  ActionTarget,
  AggregatePart,
  JoinPlan,
  JoinTarget,
  RemoteTarget,
  RowsTarget,
} from '../../plan/plan/query.ts';
import { joinedTexts, keyTypes, printJoin } from '../../print/roots.ts';
import type { OnJoin } from '../action/check-output.ts';
import { Output, type OutputJoins } from '../action/output.ts';
import type { Gap, GappedText } from '../action/output-text.ts';
import type { ExecuteContext } from '../context/context.ts';
import { createStatements, runStatement } from '../context/statement.ts';
import { mergeableJoin } from '../merge/mergeable.ts';
import { applyMembers } from '../remote/members.ts';
import { fetchRemoteJoin } from '../remote/remote.ts';
import { PartialResult } from '../response/field-errors.ts';
import { fetchActionJoin } from './action-join.ts';
import { holdsJoins, type Shape } from './key-collector.ts';
import { type JoinKeyValue, KeyMap, matchesNothing, textOfPart } from './keys.ts';
import { JoinedRows } from './row-text.ts';

/** A member of an object, or an element of a list, whose index is the alias. */
interface Place {
  readonly into: Record<string, unknown> | unknown[];
  readonly alias: string;
}

/** The value of one key, for all places and gaps with the key. */
class JoinedValue implements Gap {
  readonly key: JoinKeyValue;
  readonly places: Place[] = [];
  value: unknown = null;
  errors: PartialResult['errors'] | undefined;
  #text: string | undefined;

  constructor(key: JoinKeyValue) {
    this.key = key;
  }

  print(): string {
    this.#text ??= printJson(this.value);
    return this.#text;
  }
}

/** The keys of one join. */
class PendingJoin {
  readonly join: JoinPlan;
  /** In order of appearance. */
  readonly values: JoinedValue[] = [];
  /** The text without a match. */
  readonly empty: string;
  /** The part of the key that is a list, each item of which is a key of its own. */
  readonly items: number | undefined;
  readonly #byKey = new KeyMap<JoinedValue>();

  constructor(join: JoinPlan) {
    const { target } = join;
    this.join = join;
    this.empty = printJson(emptyResult(target));
    this.items = target.kind === 'table' && target.want.shape === 'object' ? target.list : undefined;
  }

  valueOf(key: JoinKeyValue): JoinedValue {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const value = new JoinedValue(key);
    this.#byKey.set(key, value);
    this.values.push(value);
    return value;
  }
}

/** Collects the joined fields of values, and fills them. */
export class JoinCollector implements OutputJoins {
  readonly #joins = new Map<JoinPlan, PendingJoin>();
  /** The last join, which is often the next one. */
  #last: PendingJoin | undefined;
  #failures: ExecuteContext['failures'];

  /**
   * Registers `into[alias]`, which is filled by `run`, and sets it to the value without a match. A key with a null or
   * undefined part matches nothing.
   */
  readonly add: OnJoin = (join, into, alias, key) => {
    this.#eachPlace(join, into, alias, key, (value, place) => value.places.push(place));
  };

  readonly refill: OnJoin = (join, into, alias, key) => {
    this.#eachPlace(join, into, alias, key, (value, place) => {
      if (value.errors !== undefined) this.#failures?.atPlaces([place], value.errors);
      fillPlace(place, value.value);
    });
  };

  print(join: JoinPlan, key: JoinKeyValue, out: GappedText): void {
    const pending = this.#pendingOf(join);
    const { items } = pending;
    if (matchesNothing(key, join.target.kind === 'table' ? join.target.list : undefined)) {
      out.text += pending.empty;
    } else if (items === undefined) {
      out.add(pending.valueOf(key));
    } else {
      printItems(key, items, pending, out);
    }
  }

  get hasErrors(): boolean {
    return this.#failures?.hasPlaces === true;
  }

  #eachPlace(
    join: JoinPlan,
    into: Record<string, unknown>,
    alias: string,
    key: JoinKeyValue,
    use: (value: JoinedValue, place: Place) => void,
  ): void {
    const { target } = join;
    const list = target.kind === 'table' ? target.list : undefined;
    setMember(into, alias, emptyResult(target));
    if (matchesNothing(key, list)) return;
    const pending = this.#pendingOf(join);
    if (pending.items === undefined) {
      use(pending.valueOf(key), { into, alias });
      return;
    }
    const items = key[pending.items];
    if (!Array.isArray(items)) return;
    const places = new Array<unknown>(items.length).fill(null);
    setMember(into, alias, places);
    for (const [index, item] of items.entries()) {
      if (item === null) continue;
      use(pending.valueOf(key.with(pending.items, item)), { into: places, alias: String(index) });
    }
  }

  #pendingOf(join: JoinPlan): PendingJoin {
    if (this.#last?.join === join) return this.#last;
    const pending = this.#joins.get(join) ?? new PendingJoin(join);
    this.#joins.set(join, pending);
    this.#last = pending;
    return pending;
  }

  /** Fetches all joins concurrently, with one statement or request each, and then the joins in the fetched values. */
  async run(context: ExecuteContext): Promise<void> {
    this.#failures = context.failures;
    const joins = [...this.#joins.values()].filter(({ values }) => values.length > 0);
    const [first, second] = joins;
    if (first === undefined) return;
    if (second === undefined) await fill(first, context);
    else await Promise.all(joins.map((pending) => fill(pending, context)));
  }
}

function printItems(key: JoinKeyValue, part: number, pending: PendingJoin, out: GappedText): void {
  const items = key[part];
  if (!Array.isArray(items)) {
    out.text += pending.empty;
    return;
  }
  for (const [index, item] of items.entries()) {
    out.text += index === 0 ? '[' : ',';
    if (item === null) out.text += 'null';
    else out.add(pending.valueOf(key.with(part, item)));
  }
  out.text += items.length === 0 ? '[]' : ']';
}

async function fill({ join, values }: PendingJoin, context: ExecuteContext): Promise<void> {
  const keys = values.map(({ key }) => key);
  const fetched = await fetch(join.target, keys, context);
  values.forEach((one, index) => {
    one.value = withoutErrors(fetched[index], one, context);
    for (const place of one.places) fillPlace(place, one.value);
  });
}

function fillPlace({ into, alias }: Place, value: unknown): void {
  if (Array.isArray(into)) into[Number(alias)] = value;
  else setMember(into, alias, value);
}

/** Returns the value for each key, in order. */
function fetch(
  target: JoinTarget,
  keys: readonly JoinKeyValue[],
  context: ExecuteContext,
): Promise<readonly unknown[]> {
  switch (target.kind) {
    case 'table':
      return fetchRows(target, keys, context);
    case 'remote':
      return fetchRemote(target, keys, context);
    case 'action':
      return fetchAction(target, keys, context);
    default:
      return target satisfies never;
  }
}

async function fetchRemote(
  target: RemoteTarget,
  keys: readonly JoinKeyValue[],
  context: ExecuteContext,
): Promise<readonly unknown[]> {
  const values = await fetchRemoteJoin(target, keys, context);
  const { members } = target;
  if (members !== undefined) {
    await finishRemote(
      values.map((value) => [members, value]),
      context,
    );
  }
  return values;
}

async function fetchAction(
  target: ActionTarget,
  keys: readonly JoinKeyValue[],
  context: ExecuteContext,
): Promise<readonly unknown[]> {
  const collector = new JoinCollector();
  const values = await fetchActionJoin(target, keys, context, collector);
  await collector.run(context);
  return values.map((value) => (value instanceof Output ? value.value() : value));
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
function withoutErrors(value: unknown, joined: JoinedValue, { failures }: ExecuteContext): unknown {
  if (!(value instanceof PartialResult)) return value;
  if (failures === undefined) throw value.errors[0]?.error;
  joined.errors = value.errors;
  failures.atPlaces(joined.places, value.errors);
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
  const mergeable = context.merging && mergeableJoin(statement, target, context.settings);
  const [row] = await runStatement(statement, target.source, context, inputs, '$', mergeable);
  const texts = joinedTexts(row?.[0] ?? '');
  const shape = shapeOf(target);
  if (!holdsJoins(shape)) return texts.map((text) => (text === '' ? null : new RawJson(text)));
  const collector = new JoinCollector();
  const rows = texts.map((text) => (text === '' ? null : new JoinedRows(shape, text, collector)));
  await collector.run(context);
  return rows.map((one) => one?.value() ?? null);
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
