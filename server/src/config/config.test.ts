import { describe, expect, it } from 'vitest';
import { parseConfig, printConfig } from './config.ts';

describe('parseConfig', () => {
  it('gives flags precedence over the environment and the environment over the defaults', () => {
    const config = parseConfig({ JOINERY_PORT: '9000', JOINERY_POOL_SIZE: '3' }, { port: '9001' });
    expect(config).toMatchObject({ port: 9001, poolSize: 3, host: '127.0.0.1', headerPrefix: 'x-service-' });
  });

  it('uses DATABASE_URL if JOINERY_DATABASE_URL is not set', () => {
    expect(parseConfig({ DATABASE_URL: 'postgres://a/b' }).databaseUrl).toBe('postgres://a/b');
    const both = { DATABASE_URL: 'postgres://a/b', JOINERY_DATABASE_URL: 'postgres://c/d' };
    expect(parseConfig(both).databaseUrl).toBe('postgres://c/d');
  });

  it('rejects an unknown variable and names the nearest one', () => {
    expect(() => parseConfig({ JOINERY_POOLSIZE: '3' })).toThrow(/JOINERY_POOLSIZE.*JOINERY_POOL_SIZE/);
  });

  it('rejects a malformed value and names its variable or flag', () => {
    expect(() => parseConfig({ JOINERY_PORT: 'http' })).toThrow(/^JOINERY_PORT: /);
    expect(() => parseConfig({}, { components: 'api,cron' })).toThrow(/^--components: /);
    for (const origins of ['a.com', 'https://a.com,b.com', 'https://', '']) {
      expect(() => parseConfig({ JOINERY_CORS_DOMAIN: origins })).toThrow(/^JOINERY_CORS_DOMAIN: /);
    }
  });

  it('rejects a host beyond loopback without a secret, unless JOINERY_INSECURE is set', () => {
    expect(() => parseConfig({ JOINERY_HOST: '0.0.0.0' })).toThrow(/JOINERY_ADMIN_SECRET/);
    expect(parseConfig({ JOINERY_HOST: '0.0.0.0', JOINERY_ADMIN_SECRET: 'x' }).host).toBe('0.0.0.0');
    expect(parseConfig({ JOINERY_HOST: '0.0.0.0', JOINERY_INSECURE: 'true' }).insecure).toBe(true);
  });
});

describe('printConfig', () => {
  it('masks secrets and the passwords of URLs', () => {
    const printed = printConfig(
      parseConfig({ JOINERY_ADMIN_SECRET: 'hunter2', JOINERY_DATABASE_URL: 'postgres://app:hunter2@db/shop' }),
    );
    expect(printed).not.toContain('hunter2');
    expect(printed).toContain('JOINERY_ADMIN_SECRET=***');
    expect(printed).toContain('postgres://app:***@db/shop');
  });
});
