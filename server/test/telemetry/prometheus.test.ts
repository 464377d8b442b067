/** The rules and the dashboard in deploy/, evaluated by a real Prometheus that scrapes a service with failing webhooks. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { freePort } from '../support/http/free-port.ts';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(root + path, 'utf8');

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
}

const { groups } = parse(read('deploy/prometheus/rules.yaml')) as { groups: readonly { rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(read('deploy/grafana/dashboard.json')) as {
  panels: readonly { title: string; targets?: readonly { expr: string }[] }[];
};
const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, filled(expr)] as const));

/** Replaces the variables of Grafana. */
function filled(expression: string): string {
  return expression
    .replaceAll('$job', 'joinery')
    .replaceAll('$instance', '.*')
    .replaceAll('$__rate_interval', '5m')
    .replaceAll('$__interval', '1m')
    .replaceAll('$__range', '1h');
}

/** Present where Prometheus is installed. */
const hasPrometheus = spawnSync('prometheus', ['--version']).status === 0;

describe.runIf(hasPrometheus)('with a service under load', () => {
  let service: TestService;
  let receiver: HandlerServer;
  let prometheus: ChildProcess;
  let folder: string;
  let url: string;
  let busy: Promise<unknown> | undefined;

  beforeAll(async () => {
    receiver = await startHandlerServer({ '/fails': (_call, outgoing) => void outgoing.writeHead(500).end() });
    service = await startService({ RECEIVER: receiver.url, JOINERY_POOL_SIZE: '2' });
    folder = mkdtempSync(join(tmpdir(), 'joinery-prometheus-'));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    writeFileSync(
      join(folder, 'prometheus.yaml'),
      JSON.stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [`${root}deploy/prometheus/rules.yaml`],
        scrape_configs: [{ job_name: 'joinery', static_configs: [{ targets: [new URL(service.url).host] }] }],
      }),
    );
    prometheus = spawn(
      'prometheus',
      [
        `--config.file=${folder}/prometheus.yaml`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    await until('Prometheus has scraped the service', async () => (await query('up{job="joinery"} == 1')).length > 0);
    for (let number = 0; number < 5; number += 1) await createFailingEvent();
  });
  afterAll(async () => {
    prometheus?.kill('SIGKILL');
    await busy;
    await service?.stop();
    await receiver?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function createFailingEvent(): Promise<void> {
    await service.command('create_scheduled_event', {
      webhook: '{{RECEIVER}}/fails',
      schedule_at: new Date().toISOString(),
      payload: {},
      retry_conf: { num_retries: 0 },
    });
  }

  /** Holds both connections of the pool, with another statement that waits. */
  function occupyPool(): Promise<unknown> {
    const slow = () => service.post('/v2/query', { type: 'run_sql', args: { sql: 'select pg_sleep(20)' } });
    return Promise.allSettled([slow(), slow(), slow(), slow()]);
  }

  async function query(expression: string): Promise<readonly unknown[]> {
    const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`).catch(() => undefined);
    // While it starts, its status is 503.
    if (response === undefined || response.status === 503) return [];
    const body = (await response.json()) as {
      status: string;
      error?: string;
      data?: { result: readonly unknown[] };
    };
    if (body.status !== 'success') throw new Error(`${expression}: ${body.error}`);
    return body.data?.result ?? [];
  }

  it('evaluates every rule without an error', async () => {
    const health = await until('all rules are evaluated', async () => {
      const response = await fetch(`${url}/api/v1/rules`);
      const { data } = (await response.json()) as {
        data: { groups: readonly { rules: readonly { name: string; health: string; lastError?: string }[] }[] };
      };
      const all = data.groups.flatMap((group) => group.rules);
      return all.every((rule) => rule.health !== 'unknown') && all;
    });
    expect(health.filter((rule) => rule.health !== 'ok')).toEqual([]);
    expect(health).toHaveLength(rules.length);
  });

  it('the condition of JoineryEventFailures holds after events whose webhooks fail', async () => {
    const { expr = '' } = rules.find(({ alert }) => alert === 'JoineryEventFailures') ?? {};
    const series = await until('the condition holds', async () => {
      await createFailingEvent();
      const found = await query(expr);
      return found.length > 0 && found;
    });
    expect(series).toHaveLength(1);
  });

  it.each(queries)('the panel "%s" evaluates %s', async (_title, expression) => {
    await expect(query(expression)).resolves.toBeInstanceOf(Array);
  });

  it.each(queries)('the metrics of the panel "%s" exist: %s', async (_title, expression) => {
    const withoutRecords = expression.replaceAll(/job:[\w:]+/g, '');
    const names = [...new Set(withoutRecords.match(/\b(?:joinery|nodejs|process)_\w+/g) ?? [])];
    const bare = names.filter((name) => !/^joinery_(?:trigger|async|merged|limit)/.test(name));
    const families = await exposed();
    expect(
      bare.map((name) => name.replace(/_(?:bucket|count|sum)$/, '')).filter((name) => !families.has(name)),
    ).toEqual([]);
  });

  it('the condition of JoineryPoolExhausted holds while statements wait for connections', async () => {
    busy = occupyPool();
    const { expr = '' } = rules.find(({ alert }) => alert === 'JoineryPoolExhausted') ?? {};
    // The window begins with the first scrape, when no statement waited.
    const recent = expr.replace('[5m]', '[3s]');
    const series = await until('the condition holds', async () => {
      const found = await query(recent);
      return found.length > 0 && found;
    });
    expect([recent === expr, JSON.stringify(series).includes('"pool":"default"')]).toEqual([false, true]);
  });

  /** Returns the names of metrics that the service declares. */
  async function exposed(): Promise<ReadonlySet<string>> {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name));
  }
});
