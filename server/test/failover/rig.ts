/** The test rig: a cluster, a proxy that can stop forwarding, two nodes and a receiver. Runs scenarios. */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProxy } from '../support/database/postgres-proxy.ts';
import { until } from '../support/until.ts';
import { createChangeLoad, setUpTriggers } from './changes.ts';
import { type Cluster, DATABASE, type Member, startCluster } from './cluster.ts';
import { type Findings, findingsOf, printFindings } from './findings.ts';
import { startLoad } from './load.ts';
import { type ServiceNode, setUpProject, startNode } from './nodes.ts';
import { createDatabase, type PrimaryWatch, watchPrimary } from './primary-watch.ts';

import { type Receiver, startReceiver } from './receiver.ts';

type Proxy = Awaited<ReturnType<typeof startProxy>>;

export interface Rig {
  readonly cluster: Cluster;
  /** The proxy between the nodes and HAProxy. */
  readonly network: Proxy;
  /** Runs the load, injects the failure, and waits for the recovery. Prints and returns the findings. */
  run(name: string, injectFailure: InjectFailure): Promise<Findings>;
  /** Restarts the nodes with the addresses of all servers in place of HAProxy. */
  useSeveralHosts(): Promise<void>;
  stop(options: { readonly keepLogs: boolean }): Promise<void>;
}

/** Causes a failure of the cluster or the network. Resolves when a primary is expected to be available without repair. */
export type InjectFailure = (rig: Rig, primary: Member) => Promise<Recovery>;

export interface Recovery {
  /** Begin of the recovery. `new-primary`: when another member accepts writes. `now`: immediately. */
  readonly recovers: 'new-primary' | 'now';
  /** Repairs the cluster after the recovery. */
  readonly repair?: () => void | Promise<void>;
}

const EVENTS = 2_000;
/** Milliseconds of load before the failure, and after the recovery. */
const BEFORE_MS = 3_000;
const AFTER_MS = 18_000;

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

export async function startRig(): Promise<Rig> {
  const cluster = await startCluster();
  const receiver: Receiver = await startReceiver();
  await createDatabase(await cluster.primary());
  const network = await startProxy(`postgres://postgres@127.0.0.1:${cluster.proxyPort}/${DATABASE}`);
  const changes = createChangeLoad(cluster.proxyPort, receiver);
  let nodes: readonly ServiceNode[] = [];
  let runs = 0;
  const watch = watchPrimary(cluster.members);

  const start = (databaseUrl: string, suffix: string): Promise<ServiceNode[]> =>
    Promise.all(
      ['a', 'b'].map((name) =>
        startNode({ folder: cluster.folder, name: `node-${name}${suffix}`, databaseUrl, receiver: receiver.url }),
      ),
    );

  const rig: Rig = {
    cluster,
    network,
    run: async (name, injectFailure) => {
      runs += 1;
      await cluster.healthy();
      const load = startLoad({ nodes, receiver: receiver.url, events: EVENTS, firstNumber: runs * 1_000_000 });
      const writers = changes.start();
      await sleep(BEFORE_MS);
      const primary = await cluster.primary();
      const beganAt = Date.now();
      const { recovers, repair } = await injectFailure(rig, primary);
      const writableAt = recovers === 'now' ? Date.now() : await writable(watch, primary, beganAt);
      await repair?.();
      await sleep(Math.max(0, writableAt + AFTER_MS - Date.now()));
      await Promise.all([load.stop(), writers.stop()]);
      await cluster.healthy();
      const findings = await findingsOf(load, receiver, await cluster.primary(), { beganAt, writableAt }, 40, changes);
      const ended = nodes.filter((node) => !node.isRunning()).length;
      if (ended > 0) throw new Error(`${ended} nodes have exited; the logs are in ${cluster.folder}`);
      const outage = ((writableAt - beganAt) / 1000).toFixed(1);
      const load1 = loadavg()[0]?.toFixed(1);
      print(`${printFindings(name, findings)}\n  writable after ${outage} s; load of the machine ${load1}`);
      return findings;
    },
    useSeveralHosts: async () => {
      await Promise.all(nodes.map((node) => node.stop()));
      const hosts = cluster.members.map(({ port }) => `127.0.0.1:${port}`).join(',');
      nodes = await start(`postgres://postgres@${hosts}/${DATABASE}?target_session_attrs=read-write`, '-hosts');
    },
    stop: async ({ keepLogs }) => {
      if (keepLogs) print(`the logs are in ${cluster.folder}`);
      for (const node of nodes) for (const [what, count] of node.errors()) print(`log: ${count} times ${what}`);
      await Promise.all(nodes.map((node) => node.stop()));
      await watch.stop();
      await network.close();
      await receiver.close();
      await cluster.stop(keepLogs);
    },
  };
  nodes = await start(network.url, '');
  await setUpProject(nodes);
  const [first] = nodes;
  if (first !== undefined) await setUpTriggers(first, receiver.url);
  return rig;
}

/** Returns the time of the first write that another member than `primary` accepted. */
async function writable(watch: PrimaryWatch, primary: Member, after: number): Promise<number> {
  let found: number | undefined;
  await until(
    'another member accepts writes',
    () => {
      const times = [...watch.writes].filter(([name]) => name !== primary.name).flatMap(([, all]) => all);
      found = times.filter((at) => at > after).sort((a, b) => a - b)[0];
      return found !== undefined;
    },
    { seconds: 60 },
  );
  return found ?? after;
}
