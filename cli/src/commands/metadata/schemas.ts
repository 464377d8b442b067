/** `joinery metadata schemas`: writes the JSON Schemas of the files, and a reference to them in each file without one. */
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { printJson, printLine, wantsJson } from '../../print.ts';
import {
  hasSchema,
  kindsOfFiles,
  SCHEMAS,
  schemaFiles,
  withReference,
  withSchema,
} from '../../project/editor-schemas.ts';
import { readMetadata } from '../../project/metadata-directory.ts';
import { writeChanges } from './export.ts';
import { type MetadataFlags, openMetadata } from './open-metadata.ts';

/** Resolves with the exit code. Throws CliError for files that cannot be read. */
export async function writeSchemas(flags: MetadataFlags, environment: NodeJS.ProcessEnv): Promise<number> {
  const { location, project } = await openMetadata(flags, environment);
  const local = await readMetadata(location);
  const folder = location.file === undefined ? location.directory : dirname(location.file);
  const write = new Map<string, string>();
  for (const [file, text] of schemaFiles()) {
    if ((await textOf(join(folder, file))) !== text) write.set(file, text);
  }
  for (const [file, kind] of kindsOfFiles(local)) {
    const text = local.files.read.get(file)?.text ?? '';
    if (/\.ya?ml$/.test(file) && !hasSchema(text)) write.set(file, withSchema(file, kind, text));
  }
  const config = join(project.folder, 'config.yaml');
  const text = await textOf(config);
  if (text !== undefined && !hasSchema(text)) {
    const schema = relative(project.folder, resolve(folder, SCHEMAS, 'config.json'))
      .split(sep)
      .join('/');
    write.set(relative(resolve(folder), config), withReference(schema, text));
  }
  await writeChanges({ folder, write, remove: [] });
  const written = [...write.keys()].sort().map((file) => join(folder, file));
  if (wantsJson(flags)) printJson({ written });
  else if (written.length === 0)
    printLine(`${join(folder, SCHEMAS)} is that of this version, and the files refer to it.`);
  else for (const file of written) printLine(`written  ${file}`);
  return 0;
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
