/** `joinery dev`: runs the service, the project's handlers and a webhook sink, and applies changed files. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { CliError } from '../../cli-error.ts';
import { type Connection, connect } from '../../client/connection.ts';
import { paint, printLine, warn } from '../../print.ts';
import { openProject, type Project } from '../../project/config.ts';
import type { ProjectFlags } from '../../project/flags.ts';
import { readMetadata } from '../../project/metadata-directory.ts';
import { openBrowser, signalled } from '../console/open-browser.ts';
import { openProjectConsole, type ProjectConsole } from '../console/run.ts';
import { applySources } from '../deploy/sources.ts';
import { describeInvocation, tailInvocations } from '../events/tail.ts';
import { apply } from '../metadata/apply.ts';
import { reloadDatabases } from '../migrate/consistency.ts';
import { migratedDatabases } from '../migrate/files.ts';
import { applyMigrations } from '../migrate/run.ts';
import { applySeeds } from '../migrate/seed.ts';
import { logObservation, logReceivedRequest } from './log.ts';
import { keepReplacedChanges, recordApplied } from './replaced-changes.ts';
import { watchFolders } from './watch.ts';
import { openSink, type Sink } from './webhook-sink.ts';

type Server = typeof import('@joinery/server');
type Running = Awaited<ReturnType<Server['start']>>;

export interface DevFlags extends ProjectFlags {
  readonly port?: string;
  readonly sinkPort: string;
  readonly consolePort?: string;
  /** False where the console writes no files. */
  readonly writeFiles: boolean;
  readonly open?: boolean;
  readonly seed: boolean;
  readonly watch: boolean;
}

/** Runs until a signal and resolves with the exit code. Throws CliError where the service cannot start. */
export async function dev(flags: DevFlags): Promise<number> {
  const project = await openProject(flags, process.env);
  const stopped = signalled();
  const closers: (() => Promise<unknown> | unknown)[] = [];
  try {
    const sink = await openSink(Number(flags.sinkPort), logReceivedRequest);
    closers.push(() => sink.close());
    const running = await startService(project, flags, sink);
    closers.push(() => running.stop('joinery dev ends'));
    const connection = connect({ ...project, endpoint: running.url });
    const local = flags.writeFiles ? await openProjectConsole(project, connection, flags.consolePort) : undefined;
    if (local !== undefined) closers.push(() => local.close());
    const consoleUrl = local?.entry ?? `${running.url}/console`;
    greet(running, sink, consoleUrl);
    const child = runBeside(project, running, sink);
    if (child !== undefined) closers.push(() => endChild(child));
    const parts: Parts = { project, connection, running, flags, local, migrated: false };
    const isUp = await bringUp(parts);
    if (!isUp && !flags.watch) return 1;
    if (flags.watch) closers.push(watchProject(parts));
    const tailing = new AbortController();
    closers.push(() => tailing.abort());
    follow(connection, tailing.signal);
    if (flags.open === true) openBrowser(consoleUrl);
    if (isUp) printLine(paint('dim', 'Ready. Press Ctrl-C to stop.'));
    else
      warn(
        paint(
          'yellow',
          'Not ready: fix the error above; a changed file is applied again. Press Ctrl-C to stop.',
          process.stderr,
        ),
      );
    await stopped;
    return 0;
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

async function startService(project: Project, flags: DevFlags, sink: Sink): Promise<Running> {
  const server = await import('@joinery/server');
  // The endpoint configures the commands, not the service.
  const { JOINERY_ENDPOINT: _, ...given } = project.environment;
  const isOfHasura = Object.keys(given).some((name) => name.startsWith('HASURA_GRAPHQL_') && given[name] !== undefined);
  const environment = {
    JOINERY_DEV_MODE: 'true',
    JOINERY_LOG_LEVEL: 'warn',
    SINK_URL: sink.url,
    ...(isOfHasura && { JOINERY_HASURA_ENV: 'true' }),
    ...given,
  };
  const dataDir = { dataDir: given.JOINERY_DATA_DIR ?? join(project.folder, '.joinery') };
  const port = flags.port ?? given.JOINERY_PORT ?? portOf(project.endpoint);
  const secret = given.JOINERY_ADMIN_SECRET ?? project.adminSecret;
  const settings = { ...dataDir, port, headerPrefix: project.headerPrefix, ...(secret && { adminSecret: secret }) };
  try {
    return await server.start({ environment, flags: settings, observe: logObservation });
  } catch (error) {
    throw new CliError(`the service did not start: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** Returns the port of the endpoint that the project's other commands use. */
function portOf(endpoint: string): string {
  const { hostname, port } = new URL(endpoint);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return isLocal && port !== '' ? port : '8080';
}

function greet(running: Running, sink: Sink, consoleUrl: string): void {
  printLine(`${paint('bold', 'GraphQL')}  ${running.url}/v1/graphql`);
  printLine(`${paint('bold', 'Console')}  ${consoleUrl}`);
  printLine(
    `${paint('bold', 'Sink')}     ${sink.url}   ${paint('dim', '(also /sink/500, /sink/slow/30, /sink/drop; {{SINK_URL}} in metadata and webhooks)')}`,
  );
}

/** Starts the project's own command, such as its handlers, with the URL of the service in its environment. */
function runBeside(project: Project, running: Running, sink: Sink): ChildProcess | undefined {
  if (project.devCommand === undefined) return undefined;
  const own = { SERVICE_URL: running.url, SINK_URL: sink.url, JOINERY_HEADER_PREFIX: project.headerPrefix };
  const child = spawn(project.devCommand, {
    cwd: project.folder,
    env: { ...project.environment, ...own },
    shell: true,
    // A process group of its own, so that processes started by the shell end with it.
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  printLine(`${paint('bold', 'Runs')}     ${project.devCommand}`);
  child.on('exit', (code, signal) => {
    if (signal === null) warn(`${paint('red', 'ended')} ${project.devCommand} (exit code ${code})`);
  });
  return child;
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  if (process.platform === 'win32') child.kill();
  else process.kill(-child.pid, 'SIGTERM');
  await ended;
}

interface Parts {
  readonly project: Project;
  readonly connection: Connection;
  readonly running: Running;
  readonly flags: DevFlags;
  /** The console that writes files. */
  readonly local: ProjectConsole | undefined;
  /** Whether the last run of the migrations completed. */
  migrated: boolean;
}

/** Applies sources, migrations, metadata and seeds, and prints what failed. Returns whether all of it was applied. */
async function bringUp(parts: Parts): Promise<boolean> {
  await keepChanges(parts);
  await connectSources(parts);
  await migrate(parts);
  const applied = await attempt(() => applyMetadata(parts));
  return parts.migrated && (await seed(parts)) && applied;
}

/** Adds the sources of the metadata, so that migrations can run on them. Errors are reported with the metadata later. */
async function connectSources({ project, connection }: Parts): Promise<void> {
  try {
    const { metadataDirectory: directory, metadataFile: file } = project;
    await applySources(connection, await readMetadata({ directory, file }));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
  }
}

/** Before migrations, whose changes of the metadata are not those of a user. */
async function keepChanges({ project, connection }: Parts): Promise<void> {
  await attempt(() => keepReplacedChanges(project, connection));
}

async function seed({ project, connection, flags }: Parts): Promise<boolean> {
  return !flags.seed || attempt(() => applySeeds(project, connection, { once: true }));
}

/** Returns whether all migrations were applied. */
async function migrate(parts: Parts): Promise<boolean> {
  const { project, connection } = parts;
  parts.migrated = await attempt(async () => {
    const databases = await migratedDatabases(project.migrationsDirectory);
    await applyMigrations({ project, connection, databases }, {}, reloadDatabases);
  });
  return parts.migrated;
}

/** Applies the metadata, and migrations that failed before, since the metadata may have their source now. */
async function applyChangedMetadata(parts: Parts): Promise<void> {
  await keepChanges(parts);
  if (!parts.migrated) {
    await connectSources(parts);
    if (await migrate(parts)) await seed(parts);
  }
  await attempt(() => applyMetadata(parts));
}

async function applyMetadata({ project, connection, running }: Parts): Promise<void> {
  const { folder, adminSecret, headerPrefix } = project;
  const to = { endpoint: running.url, headerPrefix, ...(adminSecret !== undefined && { adminSecret }) };
  await apply({ project: folder, ...to, allowInconsistent: true }, process.env);
  await recordApplied(project, connection);
}

function watchProject(parts: Parts): () => void {
  const { project, local } = parts;
  /** Watches a folder for changes that the console did not write. No change of the console runs during `work`. */
  const watchFolder = (folder: string, work: (paths: readonly string[]) => Promise<void>): (() => void) =>
    watchFolders({
      folders: [folder],
      onChange: async (paths) => {
        if (local === undefined) return work(paths);
        if (await local.recorder.wrote(paths.map((path) => join(folder, path)))) return;
        await local.recorder.exclusive(() => work(paths));
      },
    });
  const ends = [
    watchFolder(project.migrationsDirectory, async () => {
      await keepChanges(parts);
      // Metadata and seeds may depend on the migrations.
      if (!(await migrate(parts))) return;
      await attempt(() => applyMetadata(parts));
      await seed(parts);
    }),
    watchFolder(project.seedsDirectory, async () => {
      await seed(parts);
    }),
    watchFolder(project.metadataDirectory, async (paths) => {
      printLine(paint('dim', `${paths.join(', ')} changed`));
      await applyChangedMetadata(parts);
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** Returns false where the work failed, after printing the error. */
async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    warn(`${paint('red', 'error', process.stderr)} ${error.message}`);
    return false;
  }
}

/** Prints deliveries until the service stops; retries after errors. */
async function follow(connection: Connection, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await tailInvocations(connection, { intervalMs: 500, signal }, (invocation) =>
      printLine(`${paint('cyan', 'delivery')} ${describeInvocation(invocation)}`),
    ).catch((error: unknown) => {
      if (!signal.aborted && !(error instanceof CliError)) throw error;
    });
  }
}
