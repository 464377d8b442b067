/** `joinery serve`: starts the service in this process or in several, and stops it on SIGINT and SIGTERM. */
import { Command } from 'commander';

type Server = typeof import('@joinery/server');
type Flags = NonNullable<Parameters<Server['start']>[0]['flags']>;

/** Adds `serve`. Loads the option table of the server, without the server, only if `argv` contains `serve`. */
export async function addServe(program: Command, argv: readonly string[]): Promise<void> {
  const serve = new Command('serve')
    .description('run the service; every option is also an environment variable')
    .option('--print-config', 'print the effective settings, secrets masked, and exit')
    .action(async (given: Readonly<Record<string, unknown>>) => runServe(given));
  program.addCommand(serve);
  if (!argv.includes('serve')) return;
  const { describeOptions } = await import('@joinery/server/options');
  for (const option of describeOptions()) {
    const fallback = option.fallback === undefined ? '' : ` (default: ${option.fallback})`;
    const value = option.isBoolean ? '[true|false]' : '<value>';
    serve.option(`--${option.flag} ${value}`, `${option.meaning}${fallback} [${option.variable}]`);
  }
  serve.addHelpText(
    'after',
    `
Examples
  joinery serve --port 9000
  joinery serve --database-url postgres://app@localhost/shop --admin-secret "$SECRET" --host 0.0.0.0
  joinery serve --components events            a worker that only delivers scheduled events
  joinery serve --hasura-env                   with the HASURA_GRAPHQL_* variables of a Hasura v2 project
  joinery serve --print-config`,
  );
}

/** Loads the reader only when it is needed. */
async function readMetadata(directory: string): Promise<unknown> {
  const { readMetadataDirectory } = await import('../../project/metadata-directory.ts');
  return readMetadataDirectory(directory);
}

/** Stops on the first signal. A second signal, and one during the start, ends the process immediately. */
function stopOnSignals(stop: (signal: string) => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stop(signal).then(
        () => process.exit(0),
        () => process.exit(1),
      );
    });
  }
}

/** A flag without a value means `true`. */
function flagsOf(written: Readonly<Record<string, unknown>>): Flags {
  return Object.fromEntries(Object.entries(written).map(([key, value]) => [key, value === true ? 'true' : value]));
}

type Request = Pick<Parameters<Server['start']>[0], 'environment' | 'flags'>;

/** Runs the service as several processes. SIGHUP replaces them. */
async function superviseProcesses(request: Request): Promise<void> {
  const { supervise } = await import('@joinery/server/processes');
  const starting = supervise({
    ...request,
    onStarted: () => {
      stopOnSignals((signal) => starting.then((service) => service.stop(signal)));
      process.on('SIGHUP', () => starting.then((service) => service.reload()));
    },
    onCrashLoop: (error) => {
      process.stderr.write(`joinery serve: ${error.message}\n`);
      process.exit(1);
    },
  });
  await starting;
}

async function runServe(given: Readonly<Record<string, unknown>>): Promise<void> {
  const { printConfig, ...written } = given;
  const request = { environment: process.env, flags: flagsOf(written) };
  try {
    if (printConfig === true) {
      const { effectiveConfig } = await import('@joinery/server/options');
      process.stdout.write(`${effectiveConfig(request)}\n`);
      return;
    }
    const { processCount } = await import('@joinery/server/options');
    const isDivided = processCount(request) > 1;
    if (isDivided && (await import('node:cluster')).default.isPrimary) {
      await superviseProcesses(request);
      return;
    }
    const server = await import('@joinery/server');
    // The supervisor replaces this process when it receives SIGHUP; a terminal sends it to all.
    if (isDivided) process.on('SIGHUP', () => undefined);
    const member = isDivided ? await (await import('@joinery/server/process-member')).joinSupervisor() : undefined;
    const starting = server.start({
      ...request,
      ownsProcess: true,
      ...(member !== undefined && { member }),
      readMetadata,
      // Installed with the log line that reports the start, so that a signal after it stops the service gracefully.
      observe: ({ kind }) => {
        if (kind === 'started') stopOnSignals((signal) => starting.then((running) => running.stop(signal)));
      },
    });
    await starting;
  } catch (error) {
    process.stderr.write(`joinery serve: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
