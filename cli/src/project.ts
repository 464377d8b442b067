/** Reads a metadata directory of version 3 into one metadata object. Missing files are as if empty. */
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import { joinActions } from './actions-file.ts';
import { ProjectError } from './project-error.ts';

type Members = Readonly<Record<string, unknown>>;

/** Files that become a member of the metadata as they are. */
const plainFiles = {
  remote_schemas: 'remote_schemas.yaml',
  cron_triggers: 'cron_triggers.yaml',
  query_collections: 'query_collections.yaml',
  allowlist: 'allow_list.yaml',
  rest_endpoints: 'rest_endpoints.yaml',
  inherited_roles: 'inherited_roles.yaml',
  network: 'network.yaml',
  api_limits: 'api_limits.yaml',
  metrics_config: 'metrics_config.yaml',
  opentelemetry: 'opentelemetry.yaml',
  graphql_schema_introspection: 'graphql_schema_introspection.yaml',
  backend_configs: 'backend_configs.yaml',
} as const;

/** The metadata in `folder`. Throws ProjectError for what cannot be read or parsed. */
export async function readMetadataDirectory(folder: string): Promise<Members> {
  const version = (await readYaml(folder, 'version.yaml')) as { version?: unknown } | undefined;
  if (version === undefined) {
    throw new ProjectError(
      `${join(folder, 'version.yaml')} is not there: is "${folder}" a metadata directory? Give --dir`,
    );
  }
  if (version.version !== 3) {
    throw new ProjectError(
      `${join(folder, 'version.yaml')}: version ${String(version.version)} is not supported, 3 is`,
    );
  }
  const sources = await readYaml(folder, 'databases/databases.yaml');
  const metadata: Record<string, unknown> = { version: 3, sources: sources ?? [] };
  for (const [member, file] of Object.entries(plainFiles)) {
    const content = await readYaml(folder, file);
    if (!isEmpty(content)) metadata[member] = content;
  }
  const written = (await readYaml(folder, 'actions.yaml')) as Members | undefined;
  const sdl = await readText(folder, 'actions.graphql');
  return { ...metadata, ...joinActions(written ?? {}, sdl ?? '', folder) };
}

function isEmpty(content: unknown): boolean {
  if (content === undefined || content === null) return true;
  return typeof content === 'object' && Object.keys(content).length === 0;
}

async function readText(folder: string, file: string): Promise<string | undefined> {
  try {
    return await readFile(join(folder, file), 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ProjectError(`${join(folder, file)} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

async function readYaml(folder: string, file: string): Promise<unknown> {
  const text = await readText(folder, file);
  if (text === undefined) return undefined;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [problem] = document.errors;
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw new ProjectError(`${join(folder, file)}:${line}:${col}: ${problem.message.split('\n')[0]}`, {
      cause: problem,
    });
  }
  return include(document.toJS() as unknown, folder, dirname(join(folder, file)));
}

/** Strings such as `"!include default/tables/tables.yaml"` stand for the file, relative to the one they are in. */
async function include(value: unknown, folder: string, within: string): Promise<unknown> {
  if (typeof value === 'string' && value.startsWith('!include ')) {
    const target = resolve(within, value.slice('!include '.length).trim());
    const file = relative(folder, target);
    if (file.startsWith('..')) throw new ProjectError(`${within}: "${value}" leads out of the metadata directory`);
    const content = await readYaml(folder, file);
    if (content === undefined) throw new ProjectError(`${target} is not there, though a file in ${within} includes it`);
    return content;
  }
  if (Array.isArray(value)) return Promise.all(value.map((item) => include(item, folder, within)));
  if (typeof value !== 'object' || value === null) return value;
  const members = await Promise.all(
    Object.entries(value).map(async ([name, member]) => [name, await include(member, folder, within)] as const),
  );
  return Object.fromEntries(members);
}
