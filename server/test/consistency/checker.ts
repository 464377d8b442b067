/**
 * Finds anomalies in a history of transactions on lists that only grow, after Adya's phenomena and the method of Elle: the order of the
 * writes of a list is visible in its reads, so that dependencies between transactions are known, and a cycle of them is an anomaly.
 */

/** An element is appended once in a history. */
export interface Append {
  readonly kind: 'append';
  readonly key: string;
  readonly element: number;
}

export interface Read {
  readonly kind: 'read';
  readonly key: string;
  /** The whole list. */
  readonly list: readonly number[];
}

export interface Transaction {
  readonly id: string;
  /** `unknown`: no response was received, so that it may have been committed. Its reads are not known. */
  readonly outcome: 'committed' | 'aborted' | 'unknown';
  readonly operations: readonly (Append | Read)[];
}

export type AnomalyKind =
  | 'duplicate' // an element is in a list twice
  | 'incompatible-order' // two reads show the elements of a list in different orders
  | 'lost-append' // an element of a committed transaction is missing in a later state
  | 'aborted-read' // G1a: an element of an aborted transaction was read
  | 'intermediate-read' // G1b: a list was read between two appends of one transaction
  | 'G0' // a cycle of writes
  | 'G1c' // a cycle of writes and reads of them
  | 'G-single'; // a cycle with exactly one read of a state that was overwritten

export interface Anomaly {
  readonly kind: AnomalyKind;
  readonly detail: string;
}

type Dependency = 'ww' | 'wr' | 'rw';
type Graph = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<Dependency>>>;

/**
 * Returns the anomalies of the history. `finals` are the lists after the end, which each element of a committed transaction must be in.
 */
export function findAnomalies(
  history: readonly Transaction[],
  finals: ReadonlyMap<string, readonly number[]>,
): readonly Anomaly[] {
  const writers = writersOf(history);
  return [
    ...listAnomalies(history, finals, writers),
    ...readAnomalies(history, writers),
    ...cycles(dependencies(history, finals, writers)),
  ];
}

function writersOf(history: readonly Transaction[]): ReadonlyMap<number, Transaction> {
  const writers = new Map<number, Transaction>();
  for (const transaction of history) {
    for (const operation of transaction.operations) {
      if (operation.kind === 'append') writers.set(operation.element, transaction);
    }
  }
  return writers;
}

const readsOf = ({ outcome, operations }: Transaction): readonly Read[] =>
  outcome === 'committed' ? operations.filter((operation) => operation.kind === 'read') : [];

/** What contradicts that each list grows in one order, and keeps what is committed. */
function listAnomalies(
  history: readonly Transaction[],
  finals: ReadonlyMap<string, readonly number[]>,
  writers: ReadonlyMap<number, Transaction>,
): readonly Anomaly[] {
  const found: Anomaly[] = [];
  for (const [key, list] of finals) {
    if (new Set(list).size < list.length) found.push({ kind: 'duplicate', detail: `${key}: ${list.join(' ')}` });
  }
  for (const transaction of history) {
    for (const { key, list } of readsOf(transaction)) {
      const final = finals.get(key) ?? [];
      const differs = list.findIndex((element, index) => final[index] !== element);
      if (differs < 0) continue;
      const detail = `${transaction.id} read ${key} as ${list.join(' ')}, and it ended as ${final.join(' ')}`;
      found.push({ kind: 'incompatible-order', detail });
    }
  }
  for (const [element, { id, outcome, operations }] of writers) {
    const key = operations.find((operation) => operation.kind === 'append' && operation.element === element)?.key ?? '';
    if (outcome !== 'committed' || finals.get(key)?.includes(element) === true) continue;
    found.push({ kind: 'lost-append', detail: `${element} of ${id} is not in ${key}` });
  }
  return found;
}

/** Reads of what was never, or not yet, committed. */
function readAnomalies(history: readonly Transaction[], writers: ReadonlyMap<number, Transaction>): readonly Anomaly[] {
  return history.flatMap((transaction) =>
    readsOf(transaction).flatMap(({ key, list }) => {
      const found: Anomaly[] = [];
      for (const element of list) {
        const writer = writers.get(element);
        if (writer === undefined || writer.outcome === 'aborted') {
          found.push({
            kind: 'aborted-read',
            detail: `${transaction.id} read ${element} of ${writer?.id ?? 'no transaction'}`,
          });
        }
      }
      const last = list.at(-1);
      const writer = last === undefined ? undefined : writers.get(last);
      if (writer === undefined || writer === transaction) return found;
      const own = writer.operations.filter((one) => one.kind === 'append' && one.key === key) as readonly Append[];
      if (own.at(-1)?.element === last) return found;
      return [
        ...found,
        { kind: 'intermediate-read', detail: `${transaction.id} read ${key} until ${last} of ${writer.id}` },
      ];
    }),
  );
}

/** Returns the dependencies between transactions that were committed, or of which a write was seen. */
function dependencies(
  history: readonly Transaction[],
  finals: ReadonlyMap<string, readonly number[]>,
  writers: ReadonlyMap<number, Transaction>,
): Graph {
  const graph = new Map<string, Map<string, Set<Dependency>>>();
  const add = (from: Transaction | undefined, to: Transaction | undefined, dependency: Dependency): void => {
    if (from === undefined || to === undefined || from === to) return;
    const edges = graph.get(from.id) ?? new Map<string, Set<Dependency>>();
    graph.set(from.id, edges.set(to.id, (edges.get(to.id) ?? new Set()).add(dependency)));
  };
  const at = (list: readonly number[], index: number): Transaction | undefined => {
    const element = list[index];
    return element === undefined ? undefined : writers.get(element);
  };
  for (const list of finals.values()) {
    for (const index of list.keys()) add(at(list, index - 1), at(list, index), 'ww');
  }
  for (const transaction of history) {
    for (const { key, list } of readsOf(transaction)) {
      add(at(list, list.length - 1), transaction, 'wr');
      // The first element that the read does not contain.
      add(transaction, at(finals.get(key) ?? [], list.length), 'rw');
    }
  }
  return graph;
}

/** One anomaly for each kind of cycle that exists: the weakest kind whose edges suffice. */
function cycles(graph: Graph): readonly Anomaly[] {
  const kinds: readonly [AnomalyKind, ReadonlySet<Dependency>][] = [
    ['G0', new Set(['ww'])],
    ['G1c', new Set(['ww', 'wr'])],
  ];
  for (const [kind, followed] of kinds) {
    for (const start of graph.keys()) {
      const path = pathBetween(graph, start, start, followed);
      if (path !== undefined) return [{ kind, detail: path.join(' -> ') }];
    }
  }
  const followed: ReadonlySet<Dependency> = new Set(['ww', 'wr']);
  for (const [from, edges] of graph) {
    for (const [to, dependencies] of edges) {
      if (!dependencies.has('rw')) continue;
      const path = pathBetween(graph, to, from, followed);
      if (path !== undefined) return [{ kind: 'G-single', detail: `${from} -rw-> ${path.join(' -> ')}` }];
    }
  }
  return [];
}

/** Returns the transactions of a path with at least one edge, all of which have a followed dependency. */
function pathBetween(
  graph: Graph,
  start: string,
  end: string,
  followed: ReadonlySet<Dependency>,
): readonly string[] | undefined {
  const before = new Map<string, string>();
  const open = [start];
  for (let one = open.shift(); one !== undefined; one = open.shift()) {
    for (const [next, dependencies] of graph.get(one) ?? []) {
      if (before.has(next) || ![...dependencies].some((dependency) => followed.has(dependency))) continue;
      before.set(next, one);
      if (next === end) return walkBack(before, start, end);
      open.push(next);
    }
  }
  return undefined;
}

function walkBack(before: ReadonlyMap<string, string>, start: string, end: string): readonly string[] {
  const path = [end];
  do path.unshift(before.get(path[0] ?? '') ?? start);
  while (path[0] !== start);
  return path;
}
