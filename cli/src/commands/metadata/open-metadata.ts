/** Locates the metadata of a command: the project's, or the directory of `--dir`. */
import { relative } from 'node:path';
import { type Connection, connectProject } from '../../client/connection.ts';
import type { OutputFlags } from '../../print.ts';
import type { Project } from '../../project/config.ts';
import type { ProjectFlags } from '../../project/flags.ts';
import type { MetadataLocation } from '../../project/metadata-directory.ts';

export interface MetadataFlags extends ProjectFlags, OutputFlags {
  /** Overrides the directory or file of the project. */
  readonly dir?: string;
}

export interface MetadataProject {
  readonly project: Project;
  readonly connection: Connection;
  readonly location: MetadataLocation;
  /** The directory or file for messages. */
  readonly name: string;
}

/** Throws CliError for a configuration that cannot be read. */
export async function openMetadata(flags: MetadataFlags, environment: NodeJS.ProcessEnv): Promise<MetadataProject> {
  const { project, connection } = await connectProject(flags, environment);
  const given = flags.dir ?? project.environment.JOINERY_METADATA_DIR;
  const file = given === undefined ? project.metadataFile : undefined;
  const directory = shorter(given ?? project.metadataDirectory);
  const name = file === undefined ? directory : shorter(file);
  return { project, connection, location: file === undefined ? { directory } : { directory, file: name }, name };
}

/** Returns the path relative to the current folder where that is shorter. */
function shorter(path: string): string {
  const near = relative('', path);
  return near !== '' && near.length < path.length ? near : path;
}
