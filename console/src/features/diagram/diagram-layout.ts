/** Layout of a diagram: joined tables in layers, other tables in rows below. Pure. */
import { Graph, layout } from '@dagrejs/dagre';
import type { Diagram, DiagramTable } from './diagram-model.ts';

export interface Placed {
  readonly x: number;
  readonly y: number;
}

/** In pixels. */
export const BOX_WIDTH = 208;
const HEAD = 34;
const LINE = 22;
const GAP = 32;

/** Maximum number of columns per box. The others are counted. */
export const SHOWN_COLUMNS = 8;

export function boxHeight({ columns, elsewhere }: DiagramTable): number {
  const hidden = columns.length > SHOWN_COLUMNS ? 1 : 0;
  return HEAD + (Math.min(columns.length, SHOWN_COLUMNS) + hidden + (elsewhere.length > 0 ? 1 : 0)) * LINE + 8;
}

const BETWEEN_LAYERS = 112;

/** Returns the upper left corners of the boxes by table key. */
export function placesOf(diagram: Diagram): ReadonlyMap<string, Placed> {
  const { tables, lines } = diagram;
  const joined = new Set(lines.filter(({ from, to }) => from !== to).flatMap(({ from, to }) => [from, to]));
  const layers = layersOf(diagram, joined);
  const alone = tables.filter(({ key }) => !joined.has(key));
  const tallest = heightFor(layers.flat());
  const places = new Map<string, Placed>();
  const widest = widthFor(layers.flat());
  let [x, top, bottom, right] = [0, 0, 0, 0];
  for (const layer of layers) {
    // Splits tall layers, for example of tables that reference the same table.
    const columns = split(layer, tallest);
    for (const column of columns) {
      // A long chain of tables continues below its beginning.
      if (x > widest) [x, top] = [0, bottom + GAP];
      let y = top + Math.max(0, (tallest - heightOf(column)) / 2);
      for (const table of column) {
        places.set(table.key, { x, y });
        y += boxHeight(table) + GAP;
        bottom = Math.max(bottom, y);
      }
      x += BOX_WIDTH + GAP;
      right = Math.max(right, x);
    }
    x += BETWEEN_LAYERS - GAP;
  }
  placeInRows(places, alone, bottom === 0 ? 0 : bottom + GAP, right);
  return places;
}

/** Arranges joined tables in layers from left to right, with few crossing lines. */
function layersOf({ tables, lines }: Diagram, joined: ReadonlySet<string>): readonly (readonly DiagramTable[])[] {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: GAP, ranksep: BETWEEN_LAYERS });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { key } of tables) if (joined.has(key)) graph.setNode(key, { width: BOX_WIDTH, height: HEAD });
  for (const { from, to } of lines) if (from !== to) graph.setEdge(from, to);
  layout(graph);
  const layers = new Map<number, DiagramTable[]>();
  const at = ({ key }: DiagramTable) => graph.node(key);
  for (const table of tables.filter(({ key }) => joined.has(key))) {
    const x = Math.round(at(table).x ?? 0);
    const layer = layers.get(x);
    if (layer === undefined) layers.set(x, [table]);
    else layer.push(table);
  }
  return [...layers.entries()]
    .sort(([one], [other]) => one - other)
    .map(([, layer]) => layer.toSorted((one, other) => (at(one).y ?? 0) - (at(other).y ?? 0)));
}

function heightOf(column: readonly DiagramTable[]): number {
  return column.reduce((height, table) => height + boxHeight(table) + GAP, -GAP);
}

/** Returns the maximum width of a chain of layers: that of many tables, and of a small diagram without limit. */
function widthFor(tables: readonly DiagramTable[]): number {
  return Math.max(4_000, 3 * heightFor(tables));
}

/** Returns the maximum height of columns for a layout about as wide as a window. */
function heightFor(tables: readonly DiagramTable[]): number {
  const area = tables.reduce((sum, table) => sum + (boxHeight(table) + GAP) * (BOX_WIDTH + GAP), 0);
  return Math.max(480, Math.sqrt(area / 2));
}

/** Splits a layer into columns of at most that height. */
function split(layer: readonly DiagramTable[], tallest: number): readonly (readonly DiagramTable[])[] {
  const columns: DiagramTable[][] = [];
  let height = Number.POSITIVE_INFINITY;
  for (const table of layer) {
    const needed = boxHeight(table) + GAP;
    if (height + needed > tallest) {
      columns.push([]);
      height = 0;
    }
    columns.at(-1)?.push(table);
    height += needed;
  }
  return columns;
}

/** Places unjoined tables in rows about as wide as the layers above. */
function placeInRows(places: Map<string, Placed>, tables: readonly DiagramTable[], top: number, width: number): void {
  const inRow = Math.max(4, Math.floor(width / (BOX_WIDTH + GAP)), Math.ceil(Math.sqrt(tables.length)));
  let y = top;
  for (let start = 0; start < tables.length; start += inRow) {
    const row = tables.slice(start, start + inRow);
    for (const [index, table] of row.entries()) places.set(table.key, { x: index * (BOX_WIDTH + GAP), y });
    y += Math.max(...row.map(boxHeight)) + GAP;
  }
}
