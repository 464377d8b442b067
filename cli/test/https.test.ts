/** Tests of a service behind a TLS proxy with other paths, as configured in `config.yaml`. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../../server/test/support/service/test-service.ts';
import { joinery } from './support/command.ts';
import { writeFiles } from './support/running-command.ts';

const fixture = (name: string) =>
  fileURLToPath(new URL(`../../server/test/support/http/certificates/${name}`, import.meta.url));

let service: TestService;
let proxy: Server;
let endpoint: string;
let folder: string;

beforeAll(async () => {
  service = await startService();
  const tls = { cert: readFileSync(fixture('self-signed.crt')), key: readFileSync(fixture('self-signed.key')) };
  proxy = createServer(tls, async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const result = await fetch(service.url + (incoming.url ?? '').replace('/moved/', '/v1/'), {
      method: incoming.method ?? 'GET',
      headers: { 'content-type': 'application/json' },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    outgoing.writeHead(result.status).end(await result.text());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  endpoint = `https://localhost:${(proxy.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), 'joinery-https-'));
});

afterAll(async () => {
  proxy?.close();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function status(config: string) {
  await writeFiles(folder, { 'config.yaml': `version: 3\nendpoint: ${endpoint}\n${config}` });
  return joinery(['metadata', 'inconsistency', 'status', '--project', folder]);
}

test('rejects a certificate of an unknown authority, with a hint', async () => {
  const { code, err } = await status('');
  expect(code).not.toBe(0);
  expect(err).toContain('certificate_authority');
});

test('accepts the certificate with a configured authority, or without verification', async () => {
  expect(await status(`certificate_authority: ${fixture('self-signed.crt')}\n`)).toMatchObject({ code: 0 });
  expect(await status('insecure_skip_tls_verify: true\n')).toMatchObject({ code: 0 });
  const missing = await status('certificate_authority: none.pem\n');
  expect(missing.err).toContain('none.pem does not exist');
});

test('uses the configured paths of the APIs', async () => {
  const moved = 'insecure_skip_tls_verify: true\napi_paths:\n  v1_metadata: moved/metadata\n';
  expect(await status(moved)).toMatchObject({ code: 0 });
});
