/** Prints the version of the command and, where it responds, of the service. */
import { CliError } from '../../cli-error.ts';
import { type Connection, connectProject } from '../../client/connection.ts';
import { ownVersion, versionIn } from '../../client/service-version.ts';
import { type OutputFlags, printJson, printLine, wantsJson } from '../../print.ts';
import type { ProjectFlags } from '../../project/flags.ts';

export type VersionFlags = ProjectFlags & OutputFlags;

/** Resolves with 0, also where no service responds. Throws CliError for an invalid configuration. */
export async function version(flags: VersionFlags): Promise<number> {
  const json = wantsJson(flags);
  const { connection } = await connectProject(flags, process.env);
  const { endpoint } = connection;
  const service = await serviceVersion(connection);
  if (json) {
    printJson({ client: ownVersion(), endpoint, server: service.version ?? null, error: service.error ?? null });
    return 0;
  }
  printLine(`client  ${ownVersion()}`);
  printLine(`server  ${service.version ?? 'unknown'}  ${endpoint}`);
  if (service.error !== undefined) printLine(`        ${service.error}`);
  return 0;
}

async function serviceVersion(connection: Connection): Promise<{ readonly version?: string; readonly error?: string }> {
  try {
    const { status, body } = await connection.get('/v1/version');
    const { version } = (typeof body === 'object' && body !== null ? body : {}) as { readonly version?: unknown };
    const own = versionIn(body) ?? version;
    if (status === 200 && typeof own === 'string') return { version: own };
    return { error: `/v1/version returns status ${status} without a version; check the endpoint` };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { error: error.message };
  }
}
