/** Strongly connected components of a directed graph. */
import type { Steps } from './steps.ts';

interface Visit<Node> {
  readonly targets: Iterator<Node>;
  readonly index: number;
  /** The index in the stack. */
  readonly position: number;
  /** The lowest reachable index on the stack so far. */
  low: number;
}

/**
 * Returns the components of the graph, each after those that its edges point to. Tarjan's algorithm without recursion:
 * a long chain of nodes would overflow the call stack.
 */
export function* components<Node>(
  nodes: Iterable<Node>,
  edges: (node: Node) => readonly Node[],
): Steps<readonly (readonly Node[])[]> {
  const visits = new Map<Node, Visit<Node>>();
  const found: Node[][] = [];
  /** Visited nodes whose component is not complete. */
  const stack: Node[] = [];
  const onStack = new Set<Node>();
  const path: Visit<Node>[] = [];
  const enter = (node: Node): void => {
    const index = visits.size;
    const visit: Visit<Node> = { targets: edges(node).values(), index, position: stack.length, low: index };
    visits.set(node, visit);
    path.push(visit);
    stack.push(node);
    onStack.add(node);
  };
  for (const node of nodes) {
    if (!visits.has(node)) enter(node);
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      yield;
      const next = visit.targets.next();
      if (next.done !== true) {
        const known = visits.get(next.value);
        if (known === undefined) enter(next.value);
        else if (onStack.has(next.value)) visit.low = Math.min(visit.low, known.index);
        continue;
      }
      path.pop();
      const caller = path.at(-1);
      if (caller !== undefined) caller.low = Math.min(caller.low, visit.low);
      if (visit.low < visit.index) continue;
      const component = stack.splice(visit.position);
      for (const one of component) onStack.delete(one);
      found.push(component);
    }
  }
  return found;
}
