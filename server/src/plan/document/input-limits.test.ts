import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../base/errors.ts';
import { defaultInputLimits, InputCount } from './input-limits.ts';

const place = () => '$.variables.x';

describe('the time of the request', () => {
  const late = () => {
    throw new ServiceError('time-limit-exceeded', 'too late');
  };

  /** Returns how often the time is checked while values are counted. */
  const checksOf = (counts: readonly number[]) => {
    let checks = 0;
    const count = new InputCount(defaultInputLimits, () => {
      checks += 1;
    });
    for (const one of counts) count.addValues(one, place);
    return checks;
  };

  test.each([
    ['not before 1,024 members are counted', [1_023], 0],
    ['once 1,024 members are counted', [1_000, 24], 1],
    ['again after as many members', [1_024, 1_023, 1], 2],
    ['not again before', [5_000, 1_023], 1],
  ])('is checked %s', (_rule, counts, checks) => {
    expect(checksOf(counts)).toBe(checks);
  });

  test('is checked after a thousand counted members', () => {
    const count = new InputCount(defaultInputLimits, late);
    for (let members = 0; members < 1_000; members += 1) count.addPredicateMembers(1, place);
    expect(() => {
      for (let members = 0; members < 100; members += 1) count.addPredicateMembers(1, place);
    }).toThrow('too late');
  });

  test('is checked immediately for a list of more than a thousand items', () => {
    expect(() => new InputCount(defaultInputLimits, late).addValues(2_000, place)).toThrow('too late');
  });
});

describe('up to a limit', () => {
  test.each([
    ['members of conditions', (count: InputCount) => count.addPredicateMembers(5_000, place)],
    ['values of variables', (count: InputCount) => count.addValues(125_000, place)],
  ])('%s are accepted in several steps', (_what, add) => {
    const count = new InputCount(defaultInputLimits);
    add(count);
    expect(() => add(count)).not.toThrow();
    expect(() => add(count)).toThrow('send fewer at once, or raise the limit (/docs/limits)');
  });
});

describe('beyond a limit', () => {
  test.each([
    [
      'members of conditions',
      (count: InputCount) => count.addPredicateMembers(10_001, place),
      'more than 10000 members',
    ],
    ['values of variables', (count: InputCount) => count.addValues(250_001, place), 'more than 250000 values'],
  ])('%s are rejected with the path and the limit', (_what, add, message) => {
    const error = (() => {
      try {
        add(new InputCount(defaultInputLimits));
        return undefined;
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toMatchObject({
      code: 'input-limit-exceeded',
      path: '$.variables.x',
      message: expect.stringContaining(message),
    });
  });
});
