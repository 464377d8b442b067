/** The tests that each recorded history must pass. */
import { expect, test } from 'vitest';
import { type Anomaly, type AnomalyKind, findAnomalies } from './checker.ts';
import { type History, seed } from './history.ts';
import { findContradiction } from './register.ts';

/** @param recorded returns the history, after the hooks of the test file. */
export function testHistory(recorded: () => History): void {
  test('the clients have written and read enough to find anomalies', () => {
    const { transactions } = recorded();
    expect(transactions.filter(({ outcome }) => outcome === 'committed').length).toBeGreaterThan(50);
  });

  let found: readonly Anomaly[] | undefined;
  test.each<AnomalyKind>([
    'duplicate',
    'incompatible-order',
    'lost-append',
    'aborted-read',
    'intermediate-read',
    'G0',
    'G1c',
    'G-single',
  ])('the history has no anomaly of the kind %s', (kind) => {
    const { transactions, finals } = recorded();
    found ??= findAnomalies(transactions, finals);
    const ofKind = found.filter((anomaly) => anomaly.kind === kind);
    expect(ofKind, `seed ${seed}`).toEqual([]);
  });

  test('the metadata register is linearizable', () => {
    expect(findContradiction(recorded().register, 0), `seed ${seed}`).toBeUndefined();
  });
}
