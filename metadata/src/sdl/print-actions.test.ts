/** Tests of printing definitions of actions. */
import { expect, test } from 'vitest';
import { readActionsSdl } from './actions.ts';
import { printType } from './print-actions.ts';

test.each(['one line', 'two\n\n  lines', '\n', ' \n a', 'a\r\nb', '"""', 'ends with "', '\\'])(
  'prints the description %j so that it is read as the same text',
  (description) => {
    const type = { name: 'Item', fields: [{ name: 'id', description, type: 'ID' }] };
    const sdl = printType('objects', type, { enums: new Set(), inputs: new Map(), kept: new Map() });
    expect(readActionsSdl(sdl).types.objects).toEqual([type]);
  },
);
