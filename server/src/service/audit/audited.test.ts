import { describe, expect, it } from 'vitest';
import { describeArguments, isAudited } from './audited.ts';

describe('isAudited', () => {
  it.each([
    ['pg_track_table', {}],
    ['run_sql', { sql: 'select 1' }],
    ['create_scheduled_event', {}],
    ['pg_insert', {}],
    [
      'bulk',
      [
        { type: 'export_metadata', args: {} },
        { type: 'pg_untrack_table', args: {} },
      ],
    ],
    ['reload_metadata', {}],
  ])('is true for %s', (type, args) => expect(isAudited(type, args)).toBe(true));

  it.each([
    ['export_metadata', {}],
    ['pg_get_source_tables', {}],
    ['run_sql', { sql: 'select 1', read_only: true }],
    ['replace_metadata', { dry_run: true }],
    ['bulk', [{ type: 'get_nodes', args: {} }]],
    ['select', {}],
  ])('is false for %s', (type, args) => expect(isAudited(type, args)).toBe(false));
});

describe('describeArguments', () => {
  const described = (args: unknown) => describeArguments(args, (text) => text.replaceAll('hunter22', '***'));

  it('masks members and headers with secrets, and passwords in SQL', () => {
    expect(
      described({
        headers: [
          { name: 'Authorization', value: 'Bearer x' },
          { name: 'Accept', value: 'json' },
        ],
        client_secret: 'x',
        sql: `alter role a password 'it''s'`,
        known: 'hunter22',
      }),
    ).toBe(
      `{"headers":[{"name":"Authorization","value":"***"},{"name":"Accept","value":"json"}],"client_secret":"***","sql":"alter role a password '***'","known":"***"}`,
    );
  });

  it('cuts long arguments', () => {
    expect(described({ text: 'x'.repeat(9_000) })).toMatch(/^.{8000}…$/);
  });
});
