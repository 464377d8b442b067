import type { AuditEntry } from '@joinery/metadata/api/audit';
import { expect, it } from 'vitest';
import { toCsv } from './audit-api.ts';

const entry: AuditEntry = {
  id: '7',
  at: '2026-01-02T03:04:05.000Z',
  author: '=cmd()',
  address: null,
  request_id: 'r',
  command: 'run_sql',
  arguments: '{"sql":"select 1"}',
  outcome: 'success',
  code: null,
  error: null,
  duration_ms: 3,
};

it('writes CSV with quoted values, and no formulas', () => {
  expect(toCsv([entry])).toBe(
    'id,at,author,address,request_id,command,arguments,outcome,code,error,duration_ms\r\n' +
      '7,2026-01-02T03:04:05.000Z,\'=cmd(),,r,run_sql,"{""sql"":""select 1""}",success,,,3\r\n',
  );
});
