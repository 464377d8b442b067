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
    serve.option(`--${option.flag} <value>`, `${option.meaning}${fallback} [${option.variable}]`);
  }
  serve.addHelpText(
    'after',
    `
Examples
  joinery serve --port 9000
  joinery serve --database-url postgres://app@localhost/shop --admin-secret "$SECRET" --host 0.0.0.0
  joinery serve --components events            a worker that only delivers scheduled events
  joinery serve --print-config`,
  );
}

/** Loaded only when a directory is to be read. */
async function readMetadata(directory: string): Promise<unknown> {
  const { readMetadataDirectory } = await import('./project.ts');
  return readMetadataDirectory(directory);
}

async function runServe(given: Readonly<Record<string, unknown>>): Promise<void> {
  const server = await import('@joinery/server');
  const { printConfig, ...written } = given;
  const request = { environment: process.env, flags: written as Flags };
  try {
    if (printConfig === true) {
      process.stdout.write(`${server.effectiveConfig(request)}\n`);
      return;
    }
    const running = await server.start({ ...request, readMetadata });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        // A second signal finds no handler of ours and ends the process at once.
        running.stop(signal).then(
          () => process.exit(0),
          () => process.exit(1),
        );
      });
    }
  } catch (error) {
    process.stderr.write(`joinery serve: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
