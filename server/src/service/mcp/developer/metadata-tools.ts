/** Tools that read, compare and change the metadata. */
import { nearestName } from '@joinery/metadata/commands/edit/nearest-name';
import { commands as edits } from '@joinery/metadata/commands/registry';
import { exportMetadata, withoutExcludedTriggers } from '@joinery/metadata/document/export';
import { z } from 'zod';
import { ServiceError } from '../../../base/errors.ts';
import { parseJsonPath } from '../../../base/json-path.ts';
import { isJsonObject, printJson } from '../../../base/json-value.ts';
import { writePreview } from '../../commands/metadata.ts';
import { defineTool, type McpCaller, type Tool } from '../tool.ts';
import { type DeveloperDependencies, runCommand, unconfirmed } from './context.ts';
import { metadataDifferences } from './metadata-diff.ts';

const change = {
  commands: z
    .array(z.strictObject({ type: z.string(), args: z.unknown() }))
    .min(1)
    .max(500)
    .optional()
    .describe(
      'Edits of the metadata in order, all or nothing, such as [{"type": "pg_track_table", "args": {"source": "default", "table": "author"}}]. The documentation describes every command.',
    ),
  metadata: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Metadata that replaces the present metadata, as export_metadata returns it.'),
};

interface Change {
  readonly commands?: readonly { readonly type: string; readonly args?: unknown }[] | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export function metadataTools(dependencies: DeveloperDependencies): readonly Tool[] {
  return [
    defineTool({
      name: 'export_metadata',
      scope: 'metadata:read',
      description:
        'Returns the metadata with its resource_version, or the part at a path. Large metadata needs a path.',
      annotations: { title: 'Export the metadata', readOnlyHint: true },
      args: z.strictObject({
        path: z.string().optional().describe('A JSON path, such as $.sources[0].tables[2] or $.actions.'),
      }),
      run: ({ path }, caller) => exported(dependencies, caller, path),
    }),
    defineTool({
      name: 'get_inconsistent_metadata',
      scope: 'metadata:read',
      description: 'Returns the objects of the metadata that cannot be used, with the reasons.',
      annotations: { title: 'List inconsistent metadata', readOnlyHint: true },
      args: z.strictObject({}),
      run: (_args, caller) => runCommand(dependencies, caller, { type: 'get_inconsistent_metadata', args: {} }),
    }),
    defineTool({
      name: 'diff_metadata',
      scope: 'metadata:read',
      description:
        'Shows what edits or a replacement of the metadata would change, without changing it: objects, inconsistencies, and the schema of each role.',
      annotations: { title: 'Compare metadata', readOnlyHint: true },
      args: z.strictObject(change),
      run: (args, caller) => atArguments(args, () => preview(dependencies, caller, args)),
    }),
    defineTool({
      name: 'apply_metadata',
      scope: 'metadata:write',
      description:
        'Edits or replaces the metadata. Without "confirm": true it changes nothing, and returns what it would change.',
      annotations: { title: 'Change the metadata', readOnlyHint: false, destructiveHint: true },
      args: z.strictObject({
        ...change,
        resource_version: z
          .int()
          .min(0)
          .optional()
          .describe(
            'That of the export that the change is based on. If it is not the present one, nothing is changed.',
          ),
        confirm: z.boolean().default(false),
      }),
      run: (args, caller) => atArguments(args, () => apply(dependencies, caller, args)),
    }),
  ];
}

async function exported(
  dependencies: DeveloperDependencies,
  caller: McpCaller,
  path: string | undefined,
): Promise<unknown> {
  const command = { type: 'export_metadata', args: {}, version: 2 };
  const { resource_version, metadata } = (await runCommand(dependencies, caller, command)) as {
    readonly resource_version: number;
    readonly metadata: unknown;
  };
  const found = path === undefined ? metadata : valueAt(metadata, path);
  const result = { resource_version, ...(path !== undefined && { path }), metadata: found };
  const { length } = printJson(result);
  if (length <= dependencies.maxResult) return result;
  const message = `the metadata has ${length} characters, and JOINERY_MCP_MAX_RESULT is ${dependencies.maxResult}; give a "path" to a part of it. It has ${outlineOf(found)}`;
  throw new ServiceError('result-limit-exceeded', message, { path: '$.arguments.path' });
}

function outlineOf(value: unknown): string {
  if (Array.isArray(value)) return `${value.length} elements`;
  return isJsonObject(value) ? `the members ${Object.keys(value).join(', ')}` : 'a value';
}

function valueAt(metadata: unknown, path: string): unknown {
  let value = metadata;
  for (const step of parseJsonPath(path)) {
    const next = Array.isArray(value)
      ? (value as readonly unknown[])[Number(step)]
      : isJsonObject(value) && Object.hasOwn(value, step)
        ? value[step]
        : undefined;
    if (next === undefined) {
      const message = `the metadata has nothing at ${path}: "${step}" is missing; there are ${outlineOf(value)}`;
      throw new ServiceError('not-exists', message, { path: '$.arguments.path' });
    }
    value = next;
  }
  return value;
}

/** Returns the command of a change. Throws `parse-failed` unless exactly one of its members is given. */
function commandOf({ commands, metadata }: Change): { readonly type: string; readonly args: unknown } {
  if ((commands === undefined) === (metadata === undefined)) {
    throw new ServiceError('parse-failed', 'give either "commands" or "metadata"', { path: '$.arguments' });
  }
  checkCommands({ commands });
  return commands === undefined
    ? { type: 'replace_metadata', args: { metadata, allow_inconsistent_metadata: false } }
    : { type: 'bulk_atomic', args: commands.map(({ type, args = {} }) => ({ type, args })) };
}

/** Throws `not-exists` for a command that is no edit of the metadata. */
function checkCommands({ commands = [] }: Change): void {
  for (const [index, { type }] of commands.entries()) {
    if (edits.has(type)) continue;
    const near = nearestName(type, [...edits.keys()]);
    const advice = near === undefined ? 'search_docs finds the commands' : `did you mean "${near}"?`;
    throw new ServiceError('not-exists', `there is no edit of the metadata "${type}"; ${advice}`, {
      path: `$.arguments.commands[${index}].type`,
    });
  }
}

/** Runs `work`; the paths of its errors begin with the argument of the tool. */
async function atArguments<Result>({ commands }: Change, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown;
    const { code, message, status, internal } = thrown;
    const path = thrown.path.replace(/^\$\.args/, commands === undefined ? '$.arguments' : '$.arguments.commands');
    throw new ServiceError(code, message, { path, status, internal, cause: thrown });
  }
}

async function preview(
  dependencies: DeveloperDependencies,
  caller: McpCaller,
  given: Change,
): Promise<Readonly<Record<string, unknown>>> {
  const command = commandOf(given);
  if (given.metadata === undefined) {
    const { before, after } = await dependencies.service.preview(command, caller.session);
    const [old, now] = [before, after].map((state) => exportMetadata(withoutExcludedTriggers(state.metadata)));
    return { differences: metadataDifferences(old, now), ...writePreview(before, after) };
  }
  const args = { metadata: given.metadata, dry_run: true };
  const result = await runCommand(dependencies, caller, { type: 'replace_metadata', args });
  const present = await runCommand(dependencies, caller, { type: 'export_metadata', args: {} });
  return { differences: metadataDifferences(present, given.metadata), ...(result as object) };
}

async function apply(
  dependencies: DeveloperDependencies,
  caller: McpCaller,
  {
    confirm,
    resource_version,
    ...given
  }: Change & { readonly confirm: boolean; readonly resource_version?: number | undefined },
): Promise<unknown> {
  if (!confirm) return unconfirmed(await preview(dependencies, caller, given));
  const version = resource_version === undefined ? {} : { resource_version };
  const result = await runCommand(dependencies, caller, { ...commandOf(given), ...version });
  return { done: true, result };
}
