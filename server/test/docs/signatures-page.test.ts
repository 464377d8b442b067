/** The programs of docs/webhook-signatures.md accept a call that is signed with the keys that the commands of the page write. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { freePort } from '../support/http/free-port.ts';
import { startService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';
import { codeBlocksOf } from './code-blocks.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const blocks = codeBlocksOf(readFileSync(`${root}docs/webhook-signatures.md`, 'utf8'));

function program(label: string): string {
  const block = blocks.find(({ words }) => words[0] === `run=${label}`);
  if (block === undefined) throw new Error(`the page has no program "${label}"`);
  return block.text;
}

/** What the commands of the page print: a shared key, a private key and its public key. */
const [shared = '', secret = '', publicKey = ''] = execFileSync('bash', ['-ec', program('keys')], { encoding: 'utf8' })
  .trim()
  .split('\n');

interface Call {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The call that the service makes for a scheduled event. */
let call: Call;

beforeAll(async () => {
  let received: Call | undefined;
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    const names = Object.keys(request.headers).filter((name) => name.startsWith('webhook-'));
    received = { headers: Object.fromEntries(names.map((name) => [name, String(request.headers[name])])), body };
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service = await startService({ JOINERY_WEBHOOK_SIGNING_KEYS: `${shared} ${secret}` });
  try {
    await service.command('create_scheduled_event', {
      webhook: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      schedule_at: new Date().toISOString(),
      payload: { customer: 7 },
    });
    call = await until('the webhook was called', () => received);
  } finally {
    await service.stop();
    server.closeAllConnections();
    server.close();
  }
});

/** Runs a program with `body` and `request`. Returns the JSON of an expression. */
function evaluate(code: string, expression: string, environment: Readonly<Record<string, string>>): unknown {
  const before = `const { headers, body } = ${JSON.stringify(call)}; const request = { headers };`;
  const script = `${before}\n${code}\nconsole.log(JSON.stringify(${expression}));`;
  const env = { PATH: process.env.PATH, ...environment };
  const options = { cwd: root, env, encoding: 'utf8' } as const;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], options)) as unknown;
}

it('the receiver with standardwebhooks accepts the call and rejects a changed body', async () => {
  const port = await freePort();
  const script = program('server').replace('listen(3000)', `listen(${port}, '127.0.0.1')`);
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    env: { PATH: process.env.PATH, HOOK_KEY: shared },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const closed = once(child, 'close');
  const post = async (body: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers: call.headers, body })).status;
  try {
    const accepted = await until('the receiver responds', () => post(call.body).catch(() => false as const));
    expect([accepted, await post(call.body.replace('7', '8'))]).toEqual([200, 401]);
  } finally {
    child.kill('SIGKILL');
    await closed;
  }
});

it('the function for ed25519 accepts the call and rejects a changed body', () => {
  const result = evaluate(program('ed25519'), '[isGenuine(headers, body), isGenuine(headers, body + " ")]', {
    HOOK_PUBLIC_KEY: publicKey,
  });
  expect(result).toEqual([true, false]);
});

it.each([
  ['the shared key', shared],
  ['the public key', publicKey],
])('the receiver of joinery/webhooks reads the call with %s', (_name, key) => {
  const result = evaluate(program('receiver'), '{ payload, attempt, isOfCall: id === headers["webhook-id"] }', {
    HOOK_KEY: key,
  });
  expect(result).toEqual({ payload: { customer: 7 }, attempt: 1, isOfCall: true });
});
