import { expect, test } from 'vitest';
import { parseJson } from '../../base/json-value.ts';
import { wellKnownText } from './geojson.ts';

const epsg = (name: string) => ({ type: 'name', properties: { name } });

test.each([
  ['a point', { type: 'Point', coordinates: [1, 2] }, 'SRID=4326;POINT(1 2)'],
  ['a point in 3D', { type: 'Point', coordinates: [1, 2, 3] }, 'SRID=4326;POINT Z (1 2 3)'],
  ['further coordinates are ignored', { type: 'Point', coordinates: [1, 2, 3, 4] }, 'SRID=4326;POINT Z (1 2 3)'],
  [
    'a line',
    {
      type: 'LineString',
      coordinates: [
        [0, 0],
        [0.5, 1],
      ],
    },
    'SRID=4326;LINESTRING(0 0,0.5 1)',
  ],
  [
    'a polygon with a hole',
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [9, 0],
          [9, 9],
          [0, 0],
        ],
        [
          [1, 1],
          [2, 1],
          [2, 2],
          [1, 1],
        ],
      ],
    },
    'SRID=4326;POLYGON((0 0,9 0,9 9,0 0),(1 1,2 1,2 2,1 1))',
  ],
  [
    'points',
    {
      type: 'MultiPoint',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    },
    'SRID=4326;MULTIPOINT(1 2,3 4)',
  ],
  [
    'lines',
    {
      type: 'MultiLineString',
      coordinates: [
        [
          [1, 2],
          [3, 4],
        ],
      ],
    },
    'SRID=4326;MULTILINESTRING((1 2,3 4))',
  ],
  [
    'polygons',
    {
      type: 'MultiPolygon',
      coordinates: [
        [
          [
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 0],
          ],
        ],
      ],
    },
    'SRID=4326;MULTIPOLYGON(((0 0,1 0,1 1,0 0)))',
  ],
  [
    'a collection',
    {
      type: 'GeometryCollection',
      geometries: [
        { type: 'Point', coordinates: [1, 2] },
        { type: 'LineString', coordinates: [] },
      ],
    },
    'SRID=4326;GEOMETRYCOLLECTION(POINT(1 2),LINESTRING EMPTY)',
  ],
  [
    'the long name of a reference system',
    { type: 'Point', coordinates: [1, 1, 13], crs: epsg('urn:ogc:def:crs:EPSG::0') },
    'SRID=0;POINT Z (1 1 13)',
  ],
  ['its short name', { type: 'Point', coordinates: [1, 2], crs: epsg('EPSG:3857') }, 'SRID=3857;POINT(1 2)'],
  [
    'the default reference system by its other name',
    { type: 'Point', coordinates: [1, 2], crs: epsg('urn:ogc:def:crs:OGC:1.3:CRS84') },
    'SRID=4326;POINT(1 2)',
  ],
])('%s', (_, geometry, text) => {
  expect(wellKnownText(geometry)).toBe(text);
});

test('coordinates keep every digit', () => {
  const text = '{"type":"Point","coordinates":[1.12345678901234567890,2]}';
  expect(wellKnownText(parseJson(text))).toBe('SRID=4326;POINT(1.12345678901234567890 2)');
});

test.each([
  ['another type', { type: 'Feature', geometry: null }],
  ['no coordinates', { type: 'Point' }],
  ['too few coordinates', { type: 'Point', coordinates: [1] }],
  ['too few coordinates in a line', { type: 'LineString', coordinates: [[1], [2]] }],
  ['text as a coordinate', { type: 'Point', coordinates: [1, '2); drop table x; --'] }],
  [
    'the nesting of another type',
    {
      type: 'Polygon',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    },
  ],
  [
    'points of different dimensions',
    {
      type: 'LineString',
      coordinates: [
        [1, 2, 3],
        [1, 2],
      ],
    },
  ],
  ['an unknown reference system', { type: 'Point', coordinates: [1, 2], crs: epsg('mars') }],
  ['a list', [1, 2]],
  ['null', null],
  ['the name of an inherited member', { type: 'constructor', coordinates: [1, 2] }],
])('rejects %s', (_, geometry) => {
  expect(wellKnownText(geometry)).toBeUndefined();
});

const point = { type: 'Point', coordinates: [1, 2] };

test.each([
  ['no reference system', undefined, '4326'],
  ['null', null, '4326'],
  ['OGC:CRS84', epsg('OGC:CRS84'), '4326'],
  ['OGC:1.3:CRS84', epsg('OGC:1.3:CRS84'), '4326'],
  ['ogc:1.3crs84', epsg('ogc:1.3crs84'), '4326'],
  ['urn:ogc:def:crs:OGC::CRS84', epsg('urn:ogc:def:crs:OGC::CRS84'), '4326'],
  ['a number', epsg('3857'), '3857'],
  ['a version of EPSG', epsg('urn:ogc:def:crs:EPSG:9.9.1:25832'), '25832'],
  ['six digits', epsg('EPSG:900913'), '900913'],
])('the coordinate reference system %s is %s', (_name, crs, srid) => {
  expect(wellKnownText({ ...point, crs })).toBe(`SRID=${srid};POINT(1 2)`);
});

test.each([
  ['x', epsg('xOGC:CRS84')],
  ['after CRS84', epsg('OGC:CRS84x')],
  ['before EPSG', epsg('xEPSG:3857')],
  ['after EPSG', epsg('EPSG:3857x')],
  ['seven digits', epsg('EPSG:1234567')],
  ['no digits', epsg('EPSG:')],
  ['a number as the name', { type: 'name', properties: { name: 3857 } }],
  ['no properties', { type: 'name' }],
  ['no name', { type: 'name', properties: {} }],
  ['properties of null', { type: 'name', properties: null }],
  ['text', 'EPSG:3857'],
])('rejects a coordinate reference system with %s', (_what, crs) => {
  expect(wellKnownText({ ...point, crs })).toBeUndefined();
});

const nested = (levels: number): unknown =>
  levels === 0 ? point : { type: 'GeometryCollection', geometries: [nested(levels - 1)] };

test('collections are nested up to nine levels', () => {
  expect([wellKnownText(nested(9)), wellKnownText(nested(10))]).toEqual([
    `SRID=4326;${'GEOMETRYCOLLECTION('.repeat(9)}POINT(1 2)${')'.repeat(9)}`,
    undefined,
  ]);
});

test.each([
  ['an empty collection', { type: 'GeometryCollection', geometries: [] }, 'SRID=4326;GEOMETRYCOLLECTION EMPTY'],
  ['an empty point', { type: 'Point', coordinates: [] }, 'SRID=4326;POINT EMPTY'],
  ['a collection without geometries', { type: 'GeometryCollection' }, undefined],
  ['a collection of text', { type: 'GeometryCollection', geometries: 'x' }, undefined],
  ['a collection with null', { type: 'GeometryCollection', geometries: [point, null] }, undefined],
  ['a collection with another type', { type: 'GeometryCollection', geometries: [point, { type: 'Dot' }] }, undefined],
  ['a type that is no text', { type: 1, coordinates: [1, 2] }, undefined],
  ['coordinates of text', { type: 'Point', coordinates: '12' }, undefined],
  ['coordinates that are endless', { type: 'Point', coordinates: [1, Number.POSITIVE_INFINITY] }, undefined],
  ['a line with text', { type: 'LineString', coordinates: [[1, 2], 'x'] }, undefined],
  ['a line of text', { type: 'LineString', coordinates: ['x'] }, undefined],
  [
    'a line of three and two dimensions',
    {
      type: 'LineString',
      coordinates: [
        [1, 2],
        [3, 4, 5],
      ],
    },
    'SRID=4326;LINESTRING(1 2,3 4)',
  ],
])('%s is %s', (_what, geometry, text) => {
  expect(wellKnownText(geometry)).toBe(text);
});
