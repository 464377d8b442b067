/** Converts GeoJSON to extended well-known text, which PostGIS parses: `SRID=4326;POINT(1 2)`. */
import { ExactNumber, isJsonObject } from '../../base/json-value.ts';

/** WGS 84, the reference system of GeoJSON without a `crs`. */
const USUAL_SRID = '4326';

/** The depth of nesting of the coordinates, by type of geometry. */
const shapes: Readonly<Record<string, { readonly keyword: string; readonly depth: number }>> = {
  Point: { keyword: 'POINT', depth: 0 },
  MultiPoint: { keyword: 'MULTIPOINT', depth: 1 },
  LineString: { keyword: 'LINESTRING', depth: 1 },
  MultiLineString: { keyword: 'MULTILINESTRING', depth: 2 },
  Polygon: { keyword: 'POLYGON', depth: 2 },
  MultiPolygon: { keyword: 'MULTIPOLYGON', depth: 3 },
};

type Json = Readonly<Record<string, unknown>>;

/** The extended well-known text of a GeoJSON geometry; undefined if `value` is not one. */
export function wellKnownText(value: unknown): string | undefined {
  const geometry = objectOf(value);
  const srid = geometry && sridOf(geometry.crs);
  const text = geometry && textOf(geometry, 0);
  return srid === undefined || text === undefined ? undefined : `SRID=${srid};${text}`;
}

function objectOf(value: unknown): Json | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** `EPSG:4326`, `urn:ogc:def:crs:EPSG::4326`, `urn:ogc:def:crs:OGC:1.3:CRS84`; also a bare number. */
function sridOf(crs: unknown): string | undefined {
  if (crs === undefined || crs === null) return USUAL_SRID;
  const name = objectOf(objectOf(crs)?.properties)?.name;
  if (typeof name !== 'string') return undefined;
  if (/^(?:urn:ogc:def:crs:)?OGC:(?:1\.3)?:?CRS84$/i.test(name)) return USUAL_SRID;
  return /^(?:EPSG:|urn:ogc:def:crs:EPSG:[^:]*:)?(\d{1,6})$/i.exec(name)?.[1];
}

function textOf(geometry: Json, level: number): string | undefined {
  const { type } = geometry;
  if (type === 'GeometryCollection') return collectionOf(geometry.geometries, level);
  const shape = typeof type === 'string' && Object.hasOwn(shapes, type) ? shapes[type] : undefined;
  if (shape === undefined || !Array.isArray(geometry.coordinates)) return undefined;
  if (geometry.coordinates.length === 0) return `${shape.keyword} EMPTY`;
  const dimensions = dimensionsOf(geometry.coordinates, shape.depth);
  const coordinates = coordinatesOf(geometry.coordinates, shape.depth, dimensions);
  if (coordinates === undefined) return undefined;
  return `${shape.keyword}${dimensions === 3 ? ' Z ' : ''}${shape.depth === 0 ? `(${coordinates})` : coordinates}`;
}

function collectionOf(geometries: unknown, level: number): string | undefined {
  if (!Array.isArray(geometries) || level > 8) return undefined;
  if (geometries.length === 0) return 'GEOMETRYCOLLECTION EMPTY';
  const parts = geometries.map((one) => {
    const geometry = objectOf(one);
    return geometry && textOf(geometry, level + 1);
  });
  return parts.includes(undefined) ? undefined : `GEOMETRYCOLLECTION(${parts.join(',')})`;
}

/** 2 or 3, from the first position. Further elements of a position are ignored, as the format permits. */
function dimensionsOf(coordinates: unknown, depth: number): 2 | 3 {
  let position = coordinates;
  for (let step = 0; step < depth; step += 1) position = Array.isArray(position) ? position[0] : undefined;
  return Array.isArray(position) && position.length === 2 ? 2 : 3;
}

/** `1 2` for a position, `(1 2,3 4)` for a list of them, and so on. */
function coordinatesOf(value: unknown, depth: number, dimensions: 2 | 3): string | undefined {
  if (!Array.isArray(value)) return undefined;
  if (depth > 0) {
    const parts = value.map((item) => coordinatesOf(item, depth - 1, dimensions));
    return parts.includes(undefined) ? undefined : `(${parts.join(',')})`;
  }
  const numbers = value.slice(0, dimensions).map(numberText);
  return numbers.length < dimensions || numbers.includes(undefined) ? undefined : numbers.join(' ');
}

function numberText(value: unknown): string | undefined {
  if (value instanceof ExactNumber) return value.text;
  return Number.isFinite(value) ? String(value) : undefined;
}
