/** The steps of a rolling upgrade, with nodes of the present version; `rolling-upgrade-main.ts` runs them with those of an earlier one. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startService } from '../support/service/test-service.ts';
import { runRollingUpgrade, type StartNode, type UpgradeReport } from './rolling-upgrade.ts';

let database: TestDatabase;
let report: UpgradeReport;

beforeAll(async () => {
  database = await testDatabase();
  const start: StartNode = () => startService({}, database);
  report = await runRollingUpgrade(start, start, {});
});
afterAll(() => database?.drop());

test('no request fails', () => {
  expect(report.failures).toEqual([]);
});

test('no acknowledged row is missing', () => {
  expect(report.missingRows).toBe(0);
});

test('each acknowledged event is delivered once', () => {
  expect([report.events > 50, report.lost, report.repeated]).toEqual([true, 0, 0]);
});
