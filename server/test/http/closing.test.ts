/** Requests on open connections while the service shuts down. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startService } from '../support/service/test-service.ts';

test('rejects a request on an open connection with `busy` once the service is closing', async () => {
  const service = await startService({});
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const request = (body: string): string =>
    `POST /v1/query HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\nx-service-role: admin\r\n` +
    `content-length: ${body.length}\r\n\r\n${body}`;
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  // The statement keeps the connection in use while the service closes.
  socket.write(request('{"type":"run_sql","args":{"sql":"select pg_sleep(3)"}}'));
  await expect
    .poll(async () => (await service.command('run_sql', { sql: sleeping })) as unknown)
    .toMatchObject({ result: [['count'], ['1']] });
  const stopped = service.stop();
  socket.write(request('{"type":"get_resource_version","args":{}}'));
  await once(socket, 'close');
  await stopped;
  const [, first, second] = received.split('HTTP/1.1 ');
  expect(first).toMatch(/^200 /);
  expect(second).toMatch(/^503 /);
  expect(second).toContain('"code":"busy"');
});

const sleeping = `select count(*) from pg_stat_activity
  where datname = current_database() and query like 'select pg_sleep%' and state = 'active'`;
