import { expect, test } from 'vitest';
import { components } from './components.ts';
import { runAtOnce } from './steps.ts';

function componentsOf(graph: Readonly<Record<string, readonly string[]>>): readonly (readonly string[])[] {
  return runAtOnce(components(Object.keys(graph), (node) => graph[node] ?? []));
}

test('a node outside of cycles is a component of its own, after the nodes that it refers to', () => {
  expect(componentsOf({ a: ['b', 'c'], b: ['c'], c: [], d: ['a'] })).toEqual([['c'], ['b'], ['a'], ['d']]);
});

test('nodes that reach each other are one component', () => {
  const found = componentsOf({ a: ['b'], b: ['c', 'd'], c: ['a'], d: ['e'], e: ['d'], f: ['a'] });
  expect(found.map((one) => [...one].sort())).toEqual([['d', 'e'], ['a', 'b', 'c'], ['f']]);
});

test('a chain of 100,000 nodes is ordered', () => {
  const nodes = Array.from({ length: 100_000 }, (_, index) => index);
  const found = runAtOnce(components(nodes, (node) => (node + 1 < nodes.length ? [node + 1] : [])));
  expect(found.flat()).toEqual(nodes.toReversed());
});
