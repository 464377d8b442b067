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
