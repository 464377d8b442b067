import { expect, test } from 'vitest';
import { arrange } from './diagram-frames.ts';
import { BOX_WIDTH, boxHeight } from './diagram-layout.ts';
import type { Diagram } from './diagram-model.ts';

const table = (schema: string, name: string) => ({
  key: `${schema}.${name}`,
  table: { schema, name },
  columns: [{ name: 'id', is: 'primary' as const }],
  elsewhere: [],
});

const schemas = ['public', 'depot', 'audit'];
const diagram: Diagram = {
  tables: schemas.flatMap((schema) => ['a', 'b', 'c', 'd', 'e'].map((name) => table(schema, name))),
  lines: [],
};

test('each schema has a frame around its tables', () => {
  const { frames, places } = arrange(diagram);
  expect(frames.map(({ schema }) => schema)).toEqual(['public', 'audit', 'depot']);
  for (const one of diagram.tables) {
    const frame = frames.find(({ schema }) => schema === one.table.schema);
    const place = places.get(one.key);
    if (frame === undefined || place === undefined) throw new Error(`${one.key} has no place`);
    expect(place.x).toBeGreaterThan(frame.x);
    expect(place.y).toBeGreaterThan(frame.y);
    expect(place.x + BOX_WIDTH).toBeLessThan(frame.x + frame.width);
    expect(place.y + boxHeight(one)).toBeLessThan(frame.y + frame.height);
  }
});

test('frames do not overlap', () => {
  const { frames } = arrange(diagram);
  for (const [index, one] of frames.entries()) {
    for (const other of frames.slice(index + 1)) {
      const apart =
        one.x + one.width <= other.x ||
        other.x + other.width <= one.x ||
        one.y + one.height <= other.y ||
        other.y + other.height <= one.y;
      expect(apart).toBe(true);
    }
  }
});

test('one schema needs no frame', () => {
  expect(arrange({ tables: [table('public', 'a')], lines: [] }).frames).toEqual([]);
});
