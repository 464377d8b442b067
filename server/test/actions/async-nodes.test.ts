/** Asynchronous actions when the node that runs them stops. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../support/database/test-database.ts';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { startService } from '../support/service/test-service.ts';

let handlers: HandlerServer;
/** Answers are held back until a test lets them go. */
const held: (() => void)[] = [];

beforeAll(async () => {
  handlers = await startHandlerServer({ '/wait': () => new Promise((resolve) => held.push(() => resolve({ id: 7 }))) });
});

afterEach(() => {
  for (const answer of held.splice(0)) answer();
});

afterAll(() => handlers?.close());

describe('a node that stops', () => {
  const environment = { JOINERY_GRACEFUL_SHUTDOWN_TIMEOUT: '0' };

  it('gives back what it cannot finish, and another one runs it', async () => {
    const database = await testDatabase({ migrated: true });
    const stopping = await startService({ ...environment, HANDLERS: handlers.url }, database);
    const definition = { kind: 'asynchronous', handler: '{{HANDLERS}}/wait', output_type: 'Int' };
    await stopping.command('create_action', { name: 'work', definition });
    const { data: asked } = (await stopping.graphql('mutation { work }')) as { data: { work: string } };
    await expect.poll(() => held.length, { timeout: 20_000 }).toBe(1);
    await stopping.stop();
    const left = await database.database.query({ text: 'select status, tries from joinery.action_log', values: [] });
    expect(left.rows).toEqual([['created', '0']]);

    const next = await startService({ ...environment, HANDLERS: handlers.url }, database);
    await expect.poll(() => held.length, { timeout: 20_000 }).toBe(2);
    await next.graphql(`{ work(id: "${asked.work}") { id } }`);
    await next.stop();
    await database.drop();
  });

  it('lets what is under way come to its end while there is time', async () => {
    const database = await testDatabase({ migrated: true });
    const stopping = await startService({ HANDLERS: handlers.url }, database);
    const definition = { kind: 'asynchronous', handler: '{{HANDLERS}}/wait', output_type: 'Int' };
    await stopping.command('create_action', { name: 'work', definition });
    await stopping.graphql('mutation { work }');
    await expect.poll(() => held.length, { timeout: 20_000 }).toBe(1);
    const stopped = stopping.stop();
    for (const answer of held.splice(0)) answer();
    await stopped;
    const left = await database.database.query({ text: 'select status, tries from joinery.action_log', values: [] });
    expect(left.rows).toEqual([['error', '1']]);
    await database.drop();
  });
});
