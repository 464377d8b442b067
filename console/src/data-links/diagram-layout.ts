/** Where the boxes of a diagram stand: joined tables in layers, those that nothing joins in rows below. Pure. */
import { Graph, layout } from '@dagrejs/dagre';
import type { Diagram, DiagramTable } from './diagram-model.ts';

export interface Placed {
  readonly x: number;
  readonly y: number;
}

/** Pixels. */
export const BOX_WIDTH = 208;
const HEAD = 34;
const LINE = 22;
const GAP = 32;

/** More columns than these are only counted. */
export const SHOWN_COLUMNS = 8;

export function boxHeight({ columns, elsewhere }: DiagramTable): number {
  const hidden = columns.length > SHOWN_COLUMNS ? 1 : 0;
  return HEAD + (Math.min(columns.length, SHOWN_COLUMNS) + hidden + (elsewhere.length > 0 ? 1 : 0)) * LINE + 8;
}

/** The upper left corners of the boxes, by the keys of their tables. */
export function placesOf({ tables, lines }: Diagram): ReadonlyMap<string, Placed> {
  const joined = new Set(lines.filter(({ from, to }) => from !== to).flatMap(({ from, to }) => [from, to]));
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: GAP, ranksep: 96, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const table of tables) {
    if (joined.has(table.key)) graph.setNode(table.key, { width: BOX_WIDTH, height: boxHeight(table) });
  }
  for (const { from, to } of lines) if (from !== to) graph.setEdge(from, to);
  layout(graph);
  const places = new Map<string, Placed>();
  let [right, bottom] = [0, 0];
  for (const table of tables) {
    if (!joined.has(table.key)) continue;
    const { x = 0, y = 0 } = graph.node(table.key);
    places.set(table.key, { x: x - BOX_WIDTH / 2, y: y - boxHeight(table) / 2 });
    right = Math.max(right, x + BOX_WIDTH / 2);
    bottom = Math.max(bottom, y + boxHeight(table) / 2);
  }
  const alone = tables.filter(({ key }) => !joined.has(key));
  const inRow = Math.max(4, Math.floor(right / (BOX_WIDTH + GAP)), Math.ceil(Math.sqrt(alone.length)));
  let y = bottom === 0 ? 8 : bottom + 2 * GAP;
  for (let start = 0; start < alone.length; start += inRow) {
    const row = alone.slice(start, start + inRow);
    for (const [index, table] of row.entries()) places.set(table.key, { x: 8 + index * (BOX_WIDTH + GAP), y });
    y += Math.max(...row.map(boxHeight)) + GAP;
  }
  return places;
}
