/** Events of changes whose client has set the settings of sessions and traces to any text. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTriggerService, type TriggerService } from '../../../support/events/trigger-service.ts';

let s: TriggerService;

beforeAll(async () => {
  s = await startTriggerService({ sql: 'create table item (id int primary key)', tables: ['item'] });
  await s.create('changed', { table: 'item', insert: { columns: '*' } });
});
afterAll(() => s.stop());

const members = { 'hasura.user': 'session_variables', 'hasura.tracecontext': 'trace_context' } as const;
const texts = ['no JSON', '{"x-hasura-role":"user"', '[1]', '"text"', '5', 'null'];

const cases = (['hasura.user', 'hasura.tracecontext'] as const).flatMap((setting) =>
  [...texts.map((text) => [text, null] as const), ['{"a":"1"}', { a: '1' }] as const].map(
    ([text, member], index) => [setting, text, member, index + (setting === 'hasura.user' ? 100 : 200)] as const,
  ),
);

describe.each(cases)('an event of a change with %s set to %s', (setting, text, member, id) => {
  const ofItem = ({ body }: { readonly body: unknown }): boolean =>
    (body as { readonly event: { readonly data: { readonly new: { readonly id: number } } } }).event.data.new.id === id;

  test('is delivered with that object, and with null for any other text', async () => {
    await s.sql(`begin; select set_config('${setting}', '${text}', true); insert into item values (${id}); commit`);
    await expect.poll(() => s.callsOf('changed').filter(ofItem).length).toBe(1);
    const [call] = s.callsOf('changed').filter(ofItem);
    expect(call?.body).toMatchObject({ event: { [members[setting]]: member } });
  });

  test('is listed with its calls', async () => {
    const event_id = s.callsOf('changed').find(ofItem)?.body.id;
    await expect
      .poll(async () => (await s.post('pg_get_event_by_id', { event_id })).body)
      .toMatchObject({ event: { status: 'delivered', payload: { [members[setting]]: member } }, invocations: [{}] });
    for (const command of ['pg_get_event_logs', 'pg_get_event_invocation_logs']) {
      expect(await s.run(command, { name: 'changed', limit: 1 })).toHaveLength(1);
    }
  });
});
