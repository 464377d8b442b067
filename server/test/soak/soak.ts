/** Two nodes on a Patroni cluster under mixed load with deployments, failovers and changes of the metadata; samples what must not grow. */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, DATABASE, startCluster } from '../failover/cluster.ts';
import { type ServiceNode, setUpProject, startNode } from '../failover/nodes.ts';
import { createDatabase } from '../failover/primary-watch.ts';
import { endAll } from '../failover/processes.ts';
import { until } from '../support/until.ts';
import { startDisturbances } from './disturbances.ts';
import { type Client, createLoad } from './load.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import type { Mark, Series } from './report.ts';
import { type Sample, sampleDatabase, sampleNode } from './samples.ts';
import { startSubscribers } from './subscribers.ts';
import { type Point, quantile, trendOf } from './trend.ts';

export interface SoakOptions {
  readonly minutes: number;
  /** The share of the measured capacity that the load uses. */
  readonly share: number;
  print(line: string): void;
}

export interface SoakReport {
  readonly summary: readonly string[];
  readonly series: readonly Series[];
  readonly marks: readonly Mark[];
  /** Broken guarantees, and series that grow. */
  readonly findings: readonly string[];
}

const SAMPLE_MS = 5_000;
const CAPACITY_SECONDS = 20;
const CAPACITY_CLIENTS = 16;
const SUBSCRIBERS = 20;

/** Growth that counts as flat where values are small, by the beginning of the name of the series. */
const allowed: readonly (readonly [string, number])[] = [
  ['memory', 20],
  ['heap', 20],
  ['open files', 10],
  ['websockets', 5],
  ['connections', 5],
  ['dead rows', 10_000],
  ['size', 5],
  ['indexes', 5],
  ['lateness', 50],
  ['duration', 50],
];

/** Tables that grow with the number of requests by design, because they are retained by age alone, in days. */
const growing = /of joinery\.(\w*action\w*|audit_log|trigger_\d+_\w+) /;

const settings = {
  JOINERY_EVENTS_RETENTION_COUNT: '2000',
  JOINERY_GRACEFUL_SHUTDOWN_TIMEOUT: '10',
};

export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const cluster = await startCluster();
  const receiver = await startReceiver();
  const nodes: ServiceNode[] = [];
  try {
    await createDatabase(await cluster.primary());
    const start = async (): Promise<ServiceNode> => {
      const node = await startNode({
        folder: cluster.folder,
        name: `node-${nodes.length}`,
        databaseUrl: `postgres://postgres@127.0.0.1:${cluster.proxyPort}/${DATABASE}`,
        receiver: receiver.url,
        settings,
      });
      nodes.push(node);
      return node;
    };
    const permanent = await start();
    const load = createLoad([permanent, await start()], receiver.url);
    await setUpProject(load.nodes);
    await createTriggers(permanent, receiver.url);
    return await observe({ ...options, cluster, receiver, load, permanent, start });
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
    await receiver.close();
    // A process that does not end must not replace the report by its error.
    await cluster.stop(false).catch((error: unknown) => options.print(`the cluster was killed: ${String(error)}`));
    endAll();
  }
}

async function createTriggers(node: ServiceNode, receiver: string): Promise<void> {
  await node.command('pg_create_event_trigger', {
    ...{ source: 'default', name: 'inserted', table: 'entry', insert: { columns: '*' } },
    ...{ webhook: `${receiver}/inserted`, retry_conf: { num_retries: 20, interval_sec: 1 } },
  });
  await node.command('create_cron_trigger', {
    ...{ name: 'minutely', webhook: `${receiver}/minutely`, schedule: '* * * * *', include_in_metadata: true },
  });
}

interface Scene extends SoakOptions {
  readonly cluster: Cluster;
  readonly receiver: Receiver;
  readonly load: Client;
  readonly permanent: ServiceNode;
  start(): Promise<ServiceNode>;
}

async function observe(scene: Scene): Promise<SoakReport> {
  const { cluster, receiver, load, permanent, print, minutes } = scene;
  const capacity = await load.measureCapacity(CAPACITY_SECONDS, CAPACITY_CLIENTS);
  const rate = capacity * scene.share;
  print(`capacity ${capacity.toFixed(0)} requests/s; load ${rate.toFixed(0)} requests/s for ${minutes} minutes`);
  load.take();
  receiver.takeLateness();
  const points = new Map<string, Point[]>();
  const errors = new Map<string, number>();
  let [requests, samples] = [0, 0];
  const sending = load.start(rate);
  const subscribers = startSubscribers(SUBSCRIBERS, () => load.nodes[Math.floor(Math.random() * load.nodes.length)]);
  const disturbances = startDisturbances({ cluster, load, permanent, startNode: scene.start });
  const began = Date.now();
  const elapsed = (): number => (Date.now() - began) / 1_000;
  let nextLine = 60;
  while (elapsed() < minutes * 60) {
    await sleep(SAMPLE_MS);
    samples += 1;
    const counts = load.take();
    requests += counts.requests;
    for (const [code, count] of counts.errors) errors.set(code, (errors.get(code) ?? 0) + count);
    const sample: Sample = {
      ...(await sampleNode(permanent)),
      // There is no primary during a failover.
      ...(await sampleDatabase(cluster).catch(() => ({}))),
      'lateness of events, median (ms)': quantile(receiver.takeLateness(), 0.5),
      'duration of requests, median (ms)': quantile(counts.durations, 0.5),
      'duration of requests, 99 % (ms)': quantile(counts.durations, 0.99),
    };
    const seconds = elapsed();
    for (const [name, value] of Object.entries(sample)) {
      points.set(name, [...(points.get(name) ?? []), { seconds, value }]);
    }
    if (seconds >= nextLine) {
      nextLine += 60;
      const memory = sample['memory of the node (MB)']?.toFixed(0);
      print(
        `${(seconds / 60).toFixed(0)} min: ${requests} requests, ${receiver.events.size} events, ${memory} MB, load of the machine ${loadavg()[0]?.toFixed(1)}`,
      );
    }
  }
  await Promise.all([sending.stop(), subscribers.stop(), disturbances.stop()]);
  const missing = (): number => [...load.events].filter((event) => !receiver.events.has(event)).length;
  await until('all acknowledged events are delivered', () => missing() === 0, { seconds: 120, intervalMs: 500 }).catch(
    () => undefined,
  );
  const series = [...points]
    // A table that has only just become large enough to be listed has no second quarter.
    .filter(([, all]) => all.length > samples / 2)
    .map(([name, all]) => ({ name, points: all, trend: trendOf(all, allowedGrowth(name)) }));
  const { metadata, deployments, failovers } = disturbances.done;
  return {
    summary: [
      `${minutes} minutes at ${rate.toFixed(0)} requests/s, ${(scene.share * 100).toFixed(0)} % of ${capacity.toFixed(0)}`,
      `${requests} requests; without success: ${[...errors].map(([code, count]) => `${count} ${code}`).join(', ') || 'none'}`,
      `${load.events.size} events acknowledged, ${receiver.repeated} delivered again, ${receiver.early} early, ${missing()} missing`,
      `${receiver.calls.get('/inserted') ?? 0} calls of the event trigger, ${receiver.calls.get('/minutely') ?? 0} of the cron trigger`,
      `${metadata} changes of the metadata, ${deployments} deployments, ${failovers} failovers`,
      `${subscribers.results} results of subscriptions, ${subscribers.interruptions} interruptions`,
      ...disturbances.failed.map((text) => `failed: ${text}`),
    ],
    series,
    marks: disturbances.marks,
    findings: [
      ...(missing() > 0 ? [`${missing()} acknowledged events were not delivered`] : []),
      ...(receiver.early > 0 ? [`${receiver.early} events were delivered early`] : []),
      ...series.filter(({ name, trend }) => !trend.isFlat && !growing.test(name)).map(({ name }) => `${name} grows`),
    ],
  };
}

function allowedGrowth(name: string): number {
  return allowed.find(([beginning]) => name.startsWith(beginning))?.[1] ?? 0;
}
