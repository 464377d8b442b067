import { Metadata } from '@joinery/metadata/metadata';
import { expect, test } from 'vitest';
import { emptyExternalState } from './external-state.ts';
import { makeState } from './state.ts';

test('handles other events while the model of large metadata is built', async () => {
  const definition = { kind: 'synchronous', type: 'query', handler: 'http://127.0.0.1:1', output_type: 'Int' };
  const actions = Array.from({ length: 20_000 }, (_, index) => ({ name: `action_${index}`, definition }));
  const metadata = Metadata.parse({ version: 3, sources: [], actions });
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const state = await makeState(1, metadata, emptyExternalState, { environment: {}, sessionPrefix: 'x-service-' });
  clearInterval(timer);
  expect(state.model.actions.size).toBe(20_000);
  expect(turns).toBeGreaterThan(2);
});
