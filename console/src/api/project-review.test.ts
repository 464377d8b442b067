import { describe, expect, it } from 'vitest';
import { createReviewDesk } from './project-review.ts';

function desk(shown = 'false') {
  const store = new Map([['joinery.review-metadata', shown]]);
  return createReviewDesk({
    getItem: (key) => store.get(key) ?? null,
    setItem: (key, value) => void store.set(key, value),
  });
}

const sql = (text: string) => JSON.stringify({ source: 'default', sql: text });

describe('a review', () => {
  it('passes commands that read', async () => {
    const { review } = desk('true');
    expect(await review('export_metadata', '{}', undefined)).toBeUndefined();
    expect(await review('run_sql', sql('select 1'), undefined)).toBeUndefined();
  });

  it('passes changes of the metadata unless the user wants to see them', async () => {
    const { review, current } = desk();
    expect(await review('pg_track_table', '{"table":"a"}', undefined)).toBeUndefined();
    expect(current()).toBeUndefined();
  });

  it('waits for the user with a change of the metadata if the user wants to see these', async () => {
    const { review, current } = desk('true');
    const made = review('pg_track_table', '{"table":"a"}', undefined);
    current()?.accept(undefined);
    expect(await made).toBeUndefined();
  });

  it('returns what the user enters for SQL that changes the schema, also in a bulk', async () => {
    const { review, current } = desk();
    const args = `[{"type":"run_sql","args":${sql('drop table a')}}]`;
    const made = review('bulk', args, undefined);
    current()?.accept({ name: 'drop_a' });
    expect(await made).toEqual({ name: 'drop_a' });
    expect(current()).toBeUndefined();
  });

  it('fails where the user cancels', async () => {
    const { review, current } = desk();
    const made = review('run_sql', sql('drop table a'), undefined);
    current()?.cancel();
    await expect(made).rejects.toMatchObject({ code: 'canceled' });
  });
});
