import { expect, test } from 'vitest';
import { type Inconsistency, isBroken, isNotice, isRejected, UNSUPPORTED } from './inconsistency.ts';

const table = { name: 'one', path: '$', code: 'not-exists', reason: 'why', definition: {} } as const;

test.each<[string, Inconsistency, object]>([
  ['a dropped object', { ...table, type: 'table' }, { broken: true, rejected: true, notice: false }],
  [
    'an object that is not usable and accepted',
    { ...table, type: 'table', accepted: true },
    { broken: true, rejected: false, notice: false },
  ],
  ['a member without effect', { ...table, type: UNSUPPORTED }, { broken: false, rejected: false, notice: false }],
  [
    'a member without effect that is accepted',
    { ...table, type: UNSUPPORTED, accepted: true },
    { broken: false, rejected: false, notice: true },
  ],
])('%s is broken, rejected or only a notice', (_what, one, expected) => {
  expect({ broken: isBroken(one), rejected: isRejected(one), notice: isNotice(one) }).toEqual(expected);
});
