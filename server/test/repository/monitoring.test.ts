/** The rules and the dashboard in deploy/ use metrics, labels and values that exist, and each alert has a section of docs/alerts.md. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(root + path, 'utf8');

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly annotations?: { readonly summary: string; readonly runbook_url: string };
}
interface Panel {
  readonly targets?: readonly { readonly expr: string }[];
}

const { groups } = parse(read('deploy/prometheus/rules.yaml')) as { groups: readonly { rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const alerts = rules.filter(({ alert }) => alert !== undefined);
const { panels } = JSON.parse(read('deploy/grafana/dashboard.json')) as { panels: readonly Panel[] };
const expressions = [...rules, ...panels.flatMap(({ targets = [] }) => targets)].map(({ expr }) => expr);

/** Labels by metric, as docs/metrics.md has them, which is compared with a running service by another test. */
const labels = new Map(
  [...read('docs/metrics.md').matchAll(/^\| `(joinery_\w+)` \| \w+ \| (.*?) \|/gm)].map(([, name = '', cell = '']) => [
    name,
    [...cell.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
  ]),
);
/** Labels that Prometheus adds. */
const ofPrometheus = ['job', 'instance', 'le'];

function metricOf(series: string): string {
  return labels.has(series) ? series : series.replace(/_(?:bucket|count|sum)$/, '');
}

it.each(expressions)('the metrics of "%s" exist', (expression) => {
  const withoutRecords = expression.replaceAll(/job:[\w:]+/g, '');
  const names = [...withoutRecords.matchAll(/\bjoinery_\w+/g)].map(([name]) => metricOf(name));
  expect(names.filter((name) => !labels.has(name))).toEqual([]);
});

it.each(expressions)('the labels of "%s" are those of its metrics', (expression) => {
  const selected = [...expression.matchAll(/\b(joinery_\w+)\{([^}]*)\}/g)].flatMap(([, name = '', selector = '']) =>
    [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => ({ metric: metricOf(name), label })),
  );
  const unknown = selected.filter(
    ({ metric, label }) => !ofPrometheus.includes(label) && labels.get(metric)?.includes(label) !== true,
  );
  expect(unknown).toEqual([]);
});

it.each(expressions)('"%s" groups by labels that a metric has', (expression) => {
  const all = new Set([...ofPrometheus, ...[...labels.values()].flat()]);
  const grouped = [...expression.matchAll(/\b(?:by|on|without)\s*\(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  );
  expect(grouped.filter((label) => !all.has(label))).toEqual([]);
});

it('outcomes of events are those of docs/metrics.md', () => {
  const line = /- `outcome` of events: .*/.exec(read('docs/metrics.md'))?.[0] ?? '';
  const known = [...line.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const used = expressions.flatMap((expression) =>
    [...expression.matchAll(/event_outcomes_total\{[^}]*outcome=~?"([^"]+)"/g)].flatMap(([, value = '']) =>
      value.split('|'),
    ),
  );
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((value) => !known.includes(value))).toEqual([]);
});

it('the records that rules and panels use are recorded', () => {
  const recorded = rules.flatMap(({ record }) => record ?? []);
  const used = expressions.flatMap((expression) => expression.match(/job:[\w:]+/g) ?? []);
  expect(used.filter((name) => !recorded.includes(name))).toEqual([]);
});

it.each(alerts.map(({ alert = '', annotations }) => [alert, annotations?.runbook_url ?? '']))(
  'the alert %s leads to its section',
  (alert, url) => {
    const anchor = alert.toLowerCase();
    expect([url, read('docs/alerts.md').includes(`\n## ${alert}\n`)]).toEqual([
      `https://github.com/joinery-graphql/joinery/blob/main/docs/alerts.md#${anchor}`,
      true,
    ]);
  },
);

it('docs/alerts.md describes only alerts that exist', () => {
  const described = [...read('docs/alerts.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
  expect(described).toEqual(alerts.map(({ alert }) => alert));
});

it.each(alerts.map(({ alert = '' }) => alert))(
  '%s has a test in which it fires, and one in which it does not',
  (alert) => {
    const { tests } = parse(read('deploy/prometheus/rules.test.yaml')) as {
      tests: readonly { alert_rule_test: readonly { alertname: string; exp_alerts: readonly unknown[] }[] }[];
    };
    const expected = tests
      .flatMap((one) => one.alert_rule_test)
      .filter(({ alertname }) => alertname === alert)
      .map(({ exp_alerts }) => exp_alerts.length);
    expect([...new Set(expected)].sort()).toEqual([0, 1]);
  },
);

/** Present where Prometheus is installed. */
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

it.runIf(hasPromtool)('promtool accepts the rules, and the alerts fire as their tests say', () => {
  const check = spawnSync('promtool', ['check', 'rules', 'rules.yaml'], {
    cwd: `${root}deploy/prometheus`,
    encoding: 'utf8',
  });
  const test = spawnSync('promtool', ['test', 'rules', 'rules.test.yaml'], {
    cwd: `${root}deploy/prometheus`,
    encoding: 'utf8',
  });
  expect([check.status, test.status], check.stderr + test.stdout + test.stderr).toEqual([0, 0]);
});
