/** `joinery serve`: starts the service in this process and stops it on SIGINT and SIGTERM. */
import { Command } from 'commander';

type Server = typeof import('@joinery/server');
type Flags = NonNullable<Parameters<Server['start']>[0]['flags']>;

/** The options come from the server's own table, which is read only when `serve` is what was asked for. */
export async function addServe(program: Command, argv: readonly string[]): Promise<void> {
  const serve = new Command('serve')
    .description('run the service; every option is also an environment variable')
    .option('--print-config', 'print the effective settings, secrets masked, and exit')
    .action(async (given: Readonly<Record<string, unknown>>) => runServe(given));
  program.addCommand(serve);
  if (!argv.includes('serve')) return;
  const { describeOptions } = await import('@joinery/server');
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

/** Loaded only when a directory is to be read. */
async function readMetadata(directory: string): Promise<unknown> {
  const { readMetadataDirectory } = await import('../../project/metadata-directory.ts');
  return readMetadataDirectory(directory);
}

/** A second signal has no handler and ends the process at once, as does one during the start. */
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

async function runServe(given: Readonly<Record<string, unknown>>): Promise<void> {
  const server = await import('@joinery/server');
  const { printConfig, ...written } = given;
  const request = { environment: process.env, flags: flagsOf(written) };
  try {
    if (printConfig === true) {
      process.stdout.write(`${server.effectiveConfig(request)}\n`);
      return;
    }
    const starting = server.start({
      ...request,
      readMetadata,
      // As soon as the log says that the service has started: a signal that arrives then ends it in order.
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
