import { describe, expect, test } from 'vitest';
import type { Client } from '../../../api/client.ts';
import { readSearch } from '../activity/search-state.ts';
import { changeMany, type Progress, undoMany } from './change-many.ts';

interface Sent {
  readonly type: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A client whose commands change all events but those whose id begins with `busy`. `pages`: of the search. */
function clientOf(pages: readonly (readonly string[])[] = []) {
  const sent: Sent[] = [];
  const command = async (type: string, args: Readonly<Record<string, unknown>>): Promise<unknown> => {
    sent.push({ type, args });
    if (type === 'search_events') {
      const index = args.after === undefined ? 0 : Number(args.after);
      const next = index + 1 < pages.length ? { next: String(index + 1) } : {};
      return { events: (pages[index] ?? []).map((id) => ({ id })), ...next };
    }
    const events = args.events as readonly { readonly event_id: string }[];
    const isBusy = ({ event_id }: { readonly event_id: string }): boolean => event_id.startsWith('busy');
    return {
      changed: events
        .filter((one) => !isBusy(one))
        .map(({ event_id }) => ({ event_id, former_time: `before ${event_id}` })),
      unchanged: events.filter(isBusy).map(({ event_id }) => ({ event_id, reason: 'the event is being called' })),
    };
  };
  return { client: { command } as unknown as Client, sent };
}

const eventsOf = (ids: readonly string[]) => ids.map((id) => ({ id }));
const signal = new AbortController().signal;

describe('changing many events', () => {
  test('changes chosen events in parts of 500 and reports the progress after each', async () => {
    const { client, sent } = clientOf();
    const seen: number[] = [];
    const ids = Array.from({ length: 1_200 }, (_, index) => `e${index}`);
    const onProgress = ({ changed }: Progress): void => void seen.push(changed.length);
    const { changed } = await changeMany(client, 'cancel', { events: eventsOf(ids) }, { onProgress, signal });
    expect(sent.map(({ args }) => (args.events as unknown[]).length)).toEqual([500, 500, 200]);
    expect(seen).toEqual([500, 1_000, 1_200]);
    expect(changed).toHaveLength(1_200);
  });

  test('continues a search by its cursor and collects the reasons', async () => {
    const { client } = clientOf([['a', 'busy1'], [], ['b']]);
    const on = { search: readSearch(new URLSearchParams()), statuses: ['error'] as const };
    const { changed, unchanged } = await changeMany(client, 'redeliver', on, { onProgress: () => undefined, signal });
    expect(changed.map(({ event_id }) => event_id)).toEqual(['a', 'b']);
    expect(unchanged).toEqual([{ event_id: 'busy1', reason: 'the event is being called' }]);
  });

  test('ends after the part in which it is aborted', async () => {
    const { client, sent } = clientOf();
    const abort = new AbortController();
    const ids = Array.from({ length: 1_200 }, (_, index) => `e${index}`);
    const options = { onProgress: () => abort.abort(), signal: abort.signal };
    expect((await changeMany(client, 'cancel', { events: eventsOf(ids) }, options)).changed).toHaveLength(500);
    expect(sent).toHaveLength(1);
  });

  test('undoes a change of times with the former time of each event', async () => {
    const { client, sent } = clientOf();
    const changed = [{ event_id: 'a', former_time: '2030-01-01T00:00:00Z' }];
    await undoMany(client, 'reschedule', changed, { onProgress: () => undefined, signal });
    expect(sent[0]?.args).toEqual({
      action: 'reschedule',
      events: [{ event_id: 'a', schedule_at: '2030-01-01T00:00:00Z' }],
    });
  });
});
