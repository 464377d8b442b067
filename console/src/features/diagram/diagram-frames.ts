/** Arranges the tables of several schemas: each schema in a frame, frames in rows. Pure. */
import { BOX_WIDTH, boxHeight, type Placed, placesOf } from './diagram-layout.ts';
import type { Diagram } from './diagram-model.ts';
import { ofSchemas, schemasIn } from './diagram-parts.ts';

export interface Frame extends Placed {
  readonly schema: string;
  readonly width: number;
  readonly height: number;
}

export interface Arrangement {
  /** The upper left corners of the boxes by table key. */
  readonly places: ReadonlyMap<string, Placed>;
  /** Empty for one schema. */
  readonly frames: readonly Frame[];
}

/** In pixels. */
const PADDING = 24;
const TITLE = 32;
const BETWEEN = 64;

export function arrange(diagram: Diagram): Arrangement {
  const schemas = schemasIn(diagram);
  if (schemas.length < 2) return { places: placesOf(diagram), frames: [] };
  const parts = schemas.map((schema) => sizedPart(schema, ofSchemas(diagram, [schema])));
  const places = new Map<string, Placed>();
  const frames: Frame[] = [];
  const rowWidth = Math.max(...parts.map(({ width }) => width), Math.sqrt(2 * areaOf(parts)));
  let [x, y, tallest] = [0, 0, 0];
  for (const part of parts) {
    if (x > 0 && x + part.width > rowWidth) [x, y, tallest] = [0, y + tallest + BETWEEN, 0];
    frames.push({ schema: part.schema, x, y, width: part.width, height: part.height });
    for (const [key, place] of part.places)
      places.set(key, { x: x + PADDING + place.x, y: y + TITLE + PADDING + place.y });
    x += part.width + BETWEEN;
    tallest = Math.max(tallest, part.height);
  }
  return { places, frames };
}

interface SizedPart {
  readonly schema: string;
  readonly places: ReadonlyMap<string, Placed>;
  readonly width: number;
  readonly height: number;
}

function sizedPart(schema: string, part: Diagram): SizedPart {
  const places = placesOf(part);
  const at = part.tables.map((table) => ({ table, place: places.get(table.key) ?? { x: 0, y: 0 } }));
  const right = Math.max(...at.map(({ place }) => place.x + BOX_WIDTH));
  const bottom = Math.max(...at.map(({ table, place }) => place.y + boxHeight(table)));
  return { schema, places, width: right + 2 * PADDING, height: bottom + TITLE + 2 * PADDING };
}

function areaOf(parts: readonly SizedPart[]): number {
  return parts.reduce((sum, { width, height }) => sum + (width + BETWEEN) * (height + BETWEEN), 0);
}
