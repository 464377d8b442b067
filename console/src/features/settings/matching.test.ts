import { expect, test } from 'vitest';
import { matching } from './matching.ts';

const common = { flag: '--x', default: null } as const;
const settings = [
  { ...common, name: 'JOINERY_PORT', value: '0', from: 'environment', meaning: 'port to listen on' },
  { ...common, name: 'JOINERY_POOL_SIZE', value: '10', from: 'default', meaning: 'connections for each source' },
] as const;

test.each([
  ['', false, ['JOINERY_PORT', 'JOINERY_POOL_SIZE']],
  ['', true, ['JOINERY_PORT']],
  ['Listen port', false, ['JOINERY_PORT']],
  ['pool 10', false, ['JOINERY_POOL_SIZE']],
  ['pool', true, []],
])('finds settings by %j (changed settings only: %s)', (text, changed, names) => {
  expect(matching(settings, text, changed).map(({ name }) => name)).toEqual(names);
});
