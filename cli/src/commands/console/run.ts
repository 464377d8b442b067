/** `joinery console`: serves the console for a project and writes its changes to the files. */
import { CliError } from '../../cli-error.ts';
import { type Connection, connectProject } from '../../client/connection.ts';
import { requireSameVersion } from '../../client/service-version.ts';
import { paint, printLine } from '../../print.ts';
import type { Project } from '../../project/config.ts';
import type { ProjectFlags } from '../../project/flags.ts';
import { type ConsoleHost, openHost } from './host.ts';
import { lockProject } from './lock.ts';
import { openBrowser, signalled } from './open-browser.ts';
import { Recorder } from './recorder.ts';

export interface ConsoleFlags extends ProjectFlags {
  readonly port?: string;
  readonly open: boolean;
  readonly anyVersion?: boolean;
}

/** The port of the console in the CLI of Hasura v2. */
const DEFAULT_PORT = 9695;

/** Runs until a signal and resolves with the exit code. Throws CliError. */
export async function runConsole(flags: ConsoleFlags): Promise<number> {
  const { project, connection } = await connectProject(flags, process.env);
  if (flags.anyVersion !== true) await requireSameVersion(connection);
  const stopped = signalled();
  const host = await openProjectConsole(project, connection, flags.port);
  try {
    printLine(`${paint('bold', 'Console')}  ${host.entry}`);
    printLine(`${paint('bold', 'Service')}  ${connection.endpoint}`);
    printLine(`${paint('bold', 'Project')}  ${project.folder} ${paint('dim', '(changes are written here)')}`);
    if (flags.open) openBrowser(host.entry);
    printLine(paint('dim', 'Ready. Press Ctrl-C to stop.'));
    await stopped;
    return 0;
  } finally {
    await host.close();
  }
}

export interface ProjectConsole extends ConsoleHost {
  readonly recorder: Recorder;
}

/** Without `port`, uses 9695, or a free one where another process uses that. Throws CliError. */
export async function openProjectConsole(
  project: Project,
  connection: Connection,
  port?: string,
): Promise<ProjectConsole> {
  const unlock = await lockProject(project.folder);
  const recorder = new Recorder(project, connection);
  const open = (wanted: number): Promise<ConsoleHost> => openHost({ project, connection, recorder, port: wanted });
  try {
    const host = await (port === undefined
      ? open(DEFAULT_PORT).catch((error: unknown) => {
          if (!(error instanceof CliError)) throw error;
          return open(0);
        })
      : open(Number(port)));
    await unlock.note(host.url);
    return {
      ...host,
      recorder,
      close: async () => {
        await host.close();
        await unlock.release();
      },
    };
  } catch (error) {
    await unlock.release();
    throw error;
  }
}
