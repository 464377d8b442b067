/**
 * Runs a service as several processes of node:cluster, which share one listening socket: the kernel gives each connection to a
 * process that accepts it. Not taken: passing connections from the supervisor (SCHED_RR) loses those that are on their way to a
 * process that is killed, whose clients then wait forever; `reusePort`, which Node has from 23.1, resets the connections that
 * wait in the queue of a process that ends.
 */
import cluster from 'node:cluster';
import { hostname } from 'node:os';
import { type ServiceError, toServiceError } from '../../base/errors.ts';
import { createLog } from '../../base/telemetry/log.ts';
import { sumSamples } from '../../base/telemetry/metric-sums.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import { ExportCounts } from '../../base/telemetry/otlp/bounded-export.ts';
import { secretsIn } from '../../base/telemetry/redact.ts';
import { readVersion } from '../../base/telemetry/version.ts';
import { type Config, parseConfig, secretsOf } from '../../config/config.ts';
import { readSettings, type WrittenSettings } from '../../config/service-options.ts';
import { openExports } from '../exports.ts';
import { assign } from './assignments.ts';
import { type Child, createSupervisor, type Supervisor } from './supervisor.ts';

interface SuperviseRequest extends WrittenSettings {
  /** Called before the log line that reports the start. */
  readonly onStarted: () => void;
  /** Called when the service has stopped because a process ended again and again. */
  readonly onCrashLoop: (error: ServiceError) => void;
}

export interface Supervised {
  /** Replaces all processes without rejecting a connection. */
  reload(): Promise<void>;
  stop(reason: string): Promise<void>;
}

/** Milliseconds beyond twice the shutdown timeout after which a process that does not stop is killed. */
const STOP_MS = 10_000;

/** Starts the processes. Rejects with a ServiceError when one cannot start. */
export async function supervise(request: SuperviseRequest): Promise<Supervised> {
  const began = performance.now();
  const { environment, warnings } = readSettings(request);
  const config = parseConfig(environment, request.flags);
  const { logLevel: level, logFormat: format } = config;
  const secrets = [...secretsIn(environment), ...secretsOf(config)];
  const log = createLog({ level, format, secrets, pid: process.pid });
  const { observe } = log;
  // The same after a restart, so that its counts replace the former ones.
  const group = `${hostname()}:${config.port} `;
  // Before the database is started, because it may throw.
  assign(config, { group, embeddedUrl: undefined });
  const version = readVersion();
  let supervisor: Supervisor | undefined;
  const metrics = { began: Date.now(), read: async () => sumSamples((await supervisor?.readMetrics()) ?? []) };
  const { port, gracefulShutdownTimeout } = config;
  const counts = new ExportCounts();
  const exports = await openExports({
    ...{ environment, version, port, observe, counts, log, metrics, gracefulShutdownTimeout },
  });
  for (const message of warnings) observe({ kind: 'note', level: 'warn', where: 'configuration', message });
  const embedded = await startDatabase(config, observe);
  const created = createSupervisor({
    fork,
    assignments: assign(config, { group, embeddedUrl: embedded?.url }),
    observe,
    stopMs: 2_000 * config.gracefulShutdownTimeout + STOP_MS,
    onCrashLoop: (error) => {
      observe({ kind: 'failure', where: 'processes', error });
      end().then(() => request.onCrashLoop(error));
    },
  });
  supervisor = created;
  const end = async (): Promise<void> => {
    await exports.close();
    await embedded?.stop();
    observe({ kind: 'stopped' });
    log.flush();
    await exports.closeLogs();
  };
  const stop = async (reason: string): Promise<void> => {
    observe({ kind: 'stopping', reason });
    await created.stop(reason);
    await end();
  };
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  // Metrics may be infinite or not a number, which JSON has not.
  cluster.setupPrimary({ serialization: 'advanced' });
  try {
    const url = await created.start();
    request.onStarted();
    observe({ kind: 'started', url, version, startMs: Math.round(performance.now() - began) });
  } catch (error) {
    await stop('the start failed');
    throw toServiceError(error);
  }
  return { reload: created.reload, stop };
}

async function startDatabase(config: Config, observe: Observe) {
  if (config.databaseUrl !== undefined || config.metadataDatabaseUrl !== undefined) return undefined;
  const { startEmbedded } = await import('../../postgres/embedded/embedded.ts');
  return startEmbedded({ directory: config.dataDir, observe });
}

/** Starts this command again, as a process of the cluster. */
function fork(): Child {
  // libuv accepts one connection at a time then, so that the other processes accept some as well.
  const worker = cluster.fork({ UV_TCP_SINGLE_ACCEPT: '1' });
  // A failed send to a process that ends.
  worker.on('error', () => undefined);
  return {
    pid: worker.process.pid,
    send: (message) => {
      if (worker.isConnected()) worker.send(message);
    },
    kill: () => worker.process.kill('SIGKILL'),
    onMessage: (listener) => worker.on('message', listener),
    onExit: (listener) => worker.once('exit', (code, signal) => listener(signal ?? `code ${code}`)),
  };
}
