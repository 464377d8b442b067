import type { LookupAddress } from 'node:dns';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createEgress, type EgressSettings, egressDefaults, rejectionOfUrl } from './egress.ts';
import { createHttpClient, type HttpClient, type HttpClientOptions } from './http-client.ts';

const strict: EgressSettings = { ...egressDefaults, privateAddresses: 'refuse' };

const metadata = /cloud metadata/;
const notPublic = /not public/;

describe('with the defaults', () => {
  const httpClient = createHttpClient({ connections: 2 });
  afterAll(() => httpClient.close());

  test.each([
    ['in the usual notation', 'http://169.254.169.254/latest/meta-data'],
    ['with a dot at the end', 'http://169.254.169.254./'],
    ['as one number', 'http://2852039166/'],
    ['in hexadecimal', 'http://0xA9FEA9FE/'],
    ['in octal', 'http://0251.0376.0251.0376/'],
    ['in parts of several bytes', 'http://169.254.43518/'],
    ['in digits of another script', 'http://①⑥⑨.254.169.254/'],
    ['percent-encoded', 'http://%31%36%39.254.169.254/'],
    ['mapped into IPv6', 'http://[::ffff:169.254.169.254]/'],
    ['translated to IPv6', 'http://[::ffff:0:a9fe:a9fe]/'],
    ['as IPv4-compatible IPv6', 'http://[::a9fe:a9fe]/'],
    ['by NAT64', 'http://[64:ff9b::a9fe:a9fe]/'],
    ['by a local NAT64', 'http://[64:ff9b:1:a9fe:a9:fe00::]/'],
    ['by 6to4', 'http://[2002:a9fe:a9fe::1]/'],
    ['by Teredo', 'http://[2001:0:4136:e378:8000:63bf:5601:5601]/'],
    ['by ISATAP', 'http://[2001:db8::5efe:a9fe:a9fe]/'],
    ['as link-local IPv6', 'http://[fe80::a9fe:a9fe]/'],
    ['of AWS in IPv6', 'http://[fd00:ec2::254]/'],
    ['of containers on AWS', 'http://169.254.170.2/v2/credentials'],
    ['of Alibaba', 'http://100.100.100.200/'],
    ['of Google by name', 'http://Metadata.Google.Internal/'],
    ['of Google by name with a dot', 'https://metadata.google.internal./'],
  ])('rejects a metadata address %s', async (_how, url) => {
    await expect(call(httpClient, url)).rejects.toMatchObject({
      kind: 'egress',
      message: expect.stringMatching(metadata),
    });
    expect(rejectionOfUrl(new URL(url))).toMatch(metadata);
  });

  test.each(['%', '%1', '%eth0', '%a b', '%eth0\nx'])('ignores the zone "%j" of an address', (zone) => {
    expect(createEgress(egressDefaults).rejectionOfAddress(`fe80::a9fe:a9fe${zone}`)).toMatch(metadata);
  });

  test.each([
    ...['169.254.169.254', '169.254.170.2', '169.254.170.23', '169.254.0.23', '169.254.42.42', '100.100.100.200'],
    ...['192.0.0.192', '168.63.129.16', 'fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fd00:42::42'],
    'fe80::a9fe:a9fe',
  ])('rejects the metadata address %s and not another one of its network', (address) => {
    const egress = createEgress(egressDefaults);
    expect(egress.rejectionOfAddress(address)).toMatch(metadata);
    expect(egress.rejectionOfAddress(`${address.slice(0, -1)}1`)).toBeUndefined();
  });

  test.each([
    ...['metadata.google.internal', 'metadata.goog', 'instance-data.ec2.internal', 'metadata.tencentyun.com'],
  ])('rejects the name %s of a metadata service, and accepts longer and shorter names', (name) => {
    expect(rejectionOfUrl(new URL(`http://${name}`))).toMatch(metadata);
    expect(rejectionOfUrl(new URL(`http://${name}x`))).toBeUndefined();
    expect(rejectionOfUrl(new URL(`http://a.${name}`))).toBeUndefined();
  });

  test.each(['http://10.0.0.1/', 'http://localhost/', 'http://[::1]/', 'http://169.254.1.1/', 'http://example.com/'])(
    'accepts %s',
    (url) => expect(rejectionOfUrl(new URL(url))).toBeUndefined(),
  );

  test.each(['http://[fe80::1%25eth0]/', 'unix:/var/run/docker.sock', 'http+unix://%2Frun%2Fdocker.sock/'])(
    'rejects %s',
    async (url) => {
      await expect(call(httpClient, url)).rejects.toMatchObject({ kind: 'invalid-url' });
    },
  );
});

test.each([
  ...['2606:4700::1:5efe:a9fe:a9fe', '2606:4700::100:5efe:a9fe:a9fe', '2606:4700::5dfe:a9fe:a9fe'],
  ...['2606:4700::5eff:a9fe:a9fe', '2606:4700::ff00:0:a9fe:a9fe', '2606:4700::1:5eff:a9fe:a9fe'],
])('%s is no ISATAP address, so that its last bytes have no meaning', (address) => {
  expect(createEgress(strict).rejectionOfAddress(address)).toBeUndefined();
});

test('an ISATAP address with the universal bit has the meaning of its last bytes', () => {
  expect(createEgress(strict).rejectionOfAddress('2606:4700::200:5efe:a9fe:a9fe')).toMatch(metadata);
});

test.each(['http://face/', 'http://cafe.fa/', 'http://bad.beef/'])(
  'the host of %s is a name, although it has only digits of addresses',
  (url) => expect(rejectionOfUrl(new URL(url))).toBeUndefined(),
);

test('rejects a text that is no address', () => {
  expect(createEgress(egressDefaults).rejectionOfAddress('example.com')).toBe('the address is not valid');
});

describe('with rejection of private addresses', () => {
  const egress = createEgress(strict);

  test.each([
    ...['127.0.0.1', '127.255.1.2', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['169.254.1.1', '100.64.0.1', '192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1'],
    ...['224.0.0.1', '240.0.0.1', '255.255.255.255', '::', '::1', '::7f00:1', 'fe80::1', 'fe80::1%eth0', 'fc00::1'],
    ...['fdff::1', 'fec0::1', 'ff02::1', '::ffff:10.0.0.1', '64:ff9b::10.0.0.1', '64:ff9b:1::1', '2002:808:808::1'],
    ...['2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:db8::1', '2001:2::1', '100::1', '5f00::1', '4000::1'],
    '2606:4700::5efe:a00:1',
  ])('rejects %s', (address) => expect(egress.rejectionOfAddress(address)).toMatch(notPublic));

  test.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'])(
    'accepts %s',
    (address) => expect(egress.rejectionOfAddress(address)).toBeUndefined(),
  );

  test('accepts allowed ranges in every notation', () => {
    const some = createEgress({ ...strict, allowed: ['10.1.0.0/16', 'fd12::/16', '127.0.0.1'] });
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '64:ff9b::10.1.2.3', 'fd12::1', '127.0.0.1']) {
      expect(some.rejectionOfAddress(address)).toBeUndefined();
    }
    for (const address of ['10.2.0.1', '127.0.0.2', 'fd13::1', '::1', '2002:a01:203::1']) {
      expect(some.rejectionOfAddress(address)).toMatch(notPublic);
    }
  });

  test('rejects a metadata address in every list', () => {
    const all = createEgress({ ...egressDefaults, allowed: ['0.0.0.0/0', '::/0'] });
    expect(all.rejectionOfAddress('169.254.169.254')).toMatch(metadata);
    expect(all.rejectionOfAddress('::ffff:a9fe:a9fe')).toMatch(metadata);
  });
});

test('denied ranges take precedence over allowed ones, in every notation', () => {
  const egress = createEgress({ ...egressDefaults, allowed: ['8.0.0.0/8'], denied: ['8.8.0.0/16'] });
  for (const address of ['8.8.8.8', '::ffff:8.8.8.8', '2002:808:808::1', '64:ff9b::808:808']) {
    expect(egress.rejectionOfAddress(address)).toMatch(/egress settings forbid/);
  }
  expect(egress.rejectionOfAddress('8.9.0.1')).toBeUndefined();
});

describe('a host name', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** Starts a server that returns the Host header, with keep-alive connections or without. */
  async function serve(connection: 'keep-alive' | 'close'): Promise<number> {
    const server = createServer((request, response) => {
      response.writeHead(200, { connection }).end(request.headers.host);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  /** Runs `work` with a client whose name lookups return `lookups` one after the other. `count` returns their number. */
  async function withNames(
    lookups: readonly (readonly string[])[],
    more: Partial<HttpClientOptions>,
    work: (httpClient: HttpClient, count: () => number) => Promise<void>,
  ): Promise<void> {
    let looked = 0;
    const resolve = async (): Promise<LookupAddress[]> => {
      const addresses = lookups[Math.min(looked, lookups.length - 1)] ?? [];
      looked += 1;
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    };
    const httpClient = createHttpClient({ connections: 1, ...more, resolve });
    try {
      await work(httpClient, () => looked);
    } finally {
      await httpClient.close();
    }
  }

  test('is rejected once it resolves to a metadata address, because the check and the call use one lookup', async () => {
    const port = await serve('close');
    await withNames([['127.0.0.1'], ['169.254.169.254']], {}, async (httpClient, count) => {
      const url = `http://rebinding.example:${port}/`;
      await expect(call(httpClient, url)).resolves.toMatchObject({ body: `rebinding.example:${port}` });
      expect(count()).toBe(1);
      await expect(call(httpClient, url)).rejects.toMatchObject({ kind: 'egress' });
      expect(count()).toBe(2);
    });
  });

  test('is resolved once for a connection, which all calls share', async () => {
    const port = await serve('keep-alive');
    await withNames([['127.0.0.1'], ['169.254.169.254']], {}, async (httpClient, count) => {
      for (let times = 0; times < 3; times += 1) await call(httpClient, `http://pooled.example:${port}/`);
      expect(count()).toBe(1);
    });
  });

  test('of a private address is rejected, unless an allowed range contains it', async () => {
    const port = await serve('close');
    const url = `http://internal.example:${port}/`;
    await withNames([['127.0.0.1', '::1']], { egress: strict }, async (httpClient) => {
      await expect(call(httpClient, url)).rejects.toMatchObject({
        kind: 'egress',
        message: expect.stringMatching(notPublic),
      });
    });
    await withNames([['127.0.0.1']], { egress: { ...strict, allowed: ['127.0.0.0/8'] } }, async (httpClient) => {
      await expect(call(httpClient, url)).resolves.toMatchObject({ status: 200 });
    });
  });

  test('of several addresses is called at an accepted one', async () => {
    const port = await serve('close');
    await withNames([['169.254.169.254', '127.0.0.1']], {}, async (httpClient) => {
      await expect(call(httpClient, `http://mixed.example:${port}/`)).resolves.toMatchObject({ status: 200 });
    });
  });

  test('without an address cannot be resolved', async () => {
    await withNames([[]], {}, async (httpClient) => {
      await expect(call(httpClient, 'http://nothing.example/')).rejects.toMatchObject({ kind: 'dns' });
    });
  });

  test('localhost is checked by its addresses', async () => {
    const httpClient = createHttpClient({ connections: 1, egress: strict });
    await expect(call(httpClient, `http://localhost:${await serve('close')}/`)).rejects.toMatchObject({
      kind: 'egress',
    });
    await httpClient.close();
  });
});

test('httpsOnly rejects http and accepts https', async () => {
  const httpClient = createHttpClient({ connections: 1, egress: { ...egressDefaults, httpsOnly: true } });
  await expect(call(httpClient, 'http://127.0.0.1:1/')).rejects.toMatchObject({
    kind: 'egress',
    message: expect.stringMatching(/plain http/),
  });
  await expect(call(httpClient, 'https://127.0.0.1:1/')).rejects.toMatchObject({ kind: 'refused' });
  await httpClient.close();
});

function call(httpClient: HttpClient, url: string): ReturnType<HttpClient['call']> {
  return httpClient.call({ method: 'GET', url, headers: [], timeoutMs: 60_000, maxBytes: 1_000, overflow: 'fail' });
}
