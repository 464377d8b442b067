/** Tests of `joinery/webhooks` with real calls of a service. */
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../../server/test/support/service/test-service.ts';
import { createReceiver, readDelivery, WebhookError } from '../src/webhooks.ts';

const shared = `whsec_${randomBytes(32).toString('base64')}`;
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const last = (key: Buffer): string => key.subarray(-32).toString('base64');
const secret = `whsk_${last(privateKey.export({ format: 'der', type: 'pkcs8' }))}`;
const open = `whpk_${last(publicKey.export({ format: 'der', type: 'spki' }))}`;

interface Call {
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

let service: TestService;
let endpoint: Server;
let call: Call;

beforeAll(async () => {
  let received: (call: Call) => void = () => undefined;
  const first = new Promise<Call>((resolve) => {
    received = resolve;
  });
  endpoint = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received({ body: Buffer.concat(chunks).toString(), headers: request.headers });
    response.end();
  });
  await new Promise<void>((resolve) => {
    endpoint.listen(0, '127.0.0.1', resolve);
  });
  service = await startService({ JOINERY_WEBHOOK_SIGNING_KEYS: `${secret} ${shared}` });
  await service.command('create_scheduled_event', {
    webhook: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`,
    schedule_at: new Date().toISOString(),
    payload: { customer: 7, text: 'Grüße' },
    comment: 'hello',
  });
  call = await first;
});

afterAll(async () => {
  await service.stop();
  endpoint.close();
});

function reasonOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error instanceof WebhookError ? error.fault : error;
  }
}

describe('a receiver', () => {
  it.each([
    ['the shared key', shared],
    ['the public key', open],
    ['another key and the right one', `whsec_${randomBytes(32).toString('base64')}, ${open}`],
  ])('accepts a real call with %s, and reads the event', (_what, keys) => {
    const delivery = createReceiver({ keys }).receive<{ customer: number }>(Buffer.from(call.body), call.headers);
    expect(delivery).toMatchObject({ payload: { customer: 7, text: 'Grüße' }, comment: 'hello', attempt: 1 });
    expect(delivery.id).toBe(call.headers['webhook-id']);
    expect(delivery.scheduledTime).toBeInstanceOf(Date);
    expect(delivery.triggerName).toBeUndefined();
  });

  it('accepts headers as `fetch` returns them', () => {
    const headers = new Headers(call.headers as Record<string, string>);
    expect(createReceiver({ keys: open }).receive(call.body, headers).attempt).toBe(1);
  });

  it('rejects another body, another id, another key, an old call, and a call without a signature', () => {
    const receiver = createReceiver({ keys: `${shared} ${open}` });
    const { 'webhook-signature': _, ...unsigned } = call.headers;
    const reasons = [
      () => receiver.verify(`${call.body} `, call.headers),
      () => receiver.verify(call.body, { ...call.headers, 'webhook-id': 'another' }),
      () => createReceiver({ keys: `whsec_${randomBytes(32).toString('base64')}` }).verify(call.body, call.headers),
      () => receiver.verify(call.body, { ...call.headers, 'webhook-timestamp': '1600000000' }),
      () => receiver.verify(call.body, unsigned),
    ].map(reasonOf);
    expect(reasons).toEqual([
      'wrong-signature',
      'wrong-signature',
      'wrong-signature',
      'outside-tolerance',
      'missing-header',
    ]);
  });

  it('rejects invalid keys without printing them', () => {
    for (const keys of ['', secret, 'whsec_?', 'whpk_c2hvcnQ=']) {
      expect(() => createReceiver({ keys })).toThrow(TypeError);
    }
    expect(() => createReceiver({ keys: secret })).toThrow(/^((?!whsk_[A-Za-z0-9+/]).)*$/);
  });
});

it('rejects a body that is not an event', () => {
  expect(reasonOf(() => readDelivery('{'))).toBe('not-an-event');
  expect(reasonOf(() => readDelivery('{"id":"1","scheduled_time":"soon","payload":null}'))).toBe('not-an-event');
});

it('can be imported as joinery/webhooks', () => {
  const script = `import { createReceiver } from 'joinery/webhooks'; process.stdout.write(typeof createReceiver);`;
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd }).toString()).toBe('function');
});
