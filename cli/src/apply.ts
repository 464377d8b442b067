/** Sends a metadata directory to a running service as one `replace_metadata`. */
import { readMetadataDirectory } from './project.ts';
import { ProjectError } from './project-error.ts';

/** As the command line gives them. */
export interface ApplyOptions {
  readonly endpoint: string;
  readonly adminSecret?: string;
  readonly headerPrefix: string;
  readonly dir: string;
  readonly allowInconsistent?: boolean;
  readonly dryRun?: boolean;
}

interface Answer {
  readonly is_consistent?: boolean;
  readonly inconsistent_objects?: readonly { readonly name: string; readonly reason: string }[];
  readonly error?: string;
  readonly path?: string;
  readonly code?: string;
  readonly internal?: unknown;
}

/** Resolves with the exit code: 0 when the service took it, 1 otherwise. Says on standard output or error what happened. */
export async function apply(given: ApplyOptions, environment: NodeJS.ProcessEnv): Promise<number> {
  try {
    const metadata = await readMetadataDirectory(given.dir);
    if (given.dryRun === true) {
      process.stdout.write(`${JSON.stringify(metadata, null, 2)}\n`);
      return 0;
    }
    return report(await send(given, environment, metadata), given);
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    process.stderr.write(`joinery metadata apply: ${error.message}\n`);
    return 1;
  }
}

async function send(given: ApplyOptions, environment: NodeJS.ProcessEnv, metadata: unknown): Promise<Answer> {
  const secret = given.adminSecret ?? environment.JOINERY_ADMIN_SECRET;
  const url = new URL('/v1/metadata', given.endpoint);
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        [`${given.headerPrefix}Role`]: 'admin',
        ...(secret !== undefined && { [`${given.headerPrefix}Admin-Secret`]: secret }),
      },
      body: JSON.stringify({
        type: 'replace_metadata',
        version: 2,
        args: { allow_inconsistent_metadata: given.allowInconsistent === true, metadata },
      }),
    });
  } catch (cause) {
    throw new ProjectError(
      `no service answers at ${given.endpoint}; start it with "joinery serve" or give --endpoint`,
      { cause },
    );
  }
  return (await response.json()) as Answer;
}

function report(answer: Answer, given: ApplyOptions): number {
  if (answer.error !== undefined) {
    process.stderr.write(
      `joinery metadata apply: the service refused it (${answer.code} at ${answer.path}): ${answer.error}\n`,
    );
    if (Array.isArray(answer.internal)) list(answer.internal as Answer['inconsistent_objects']);
    return 1;
  }
  if (answer.is_consistent === false) {
    process.stderr.write('joinery metadata apply: applied, but these objects cannot be used:\n');
    list(answer.inconsistent_objects);
    return 0;
  }
  process.stdout.write(`Applied ${given.dir} to ${given.endpoint}.\n`);
  return 0;
}

function list(objects: Answer['inconsistent_objects']): void {
  for (const object of objects ?? []) process.stderr.write(`  ${object.name}: ${object.reason}\n`);
}
