/**
 * `bulk` and its variants: several commands in order, all or nothing. Metadata edits are stored at the end; SQL and
 * scheduled events run in one transaction for each database, and the metadata is stored in the same one where it has no
 * database of its own. With several databases the metadata is committed last: only a failure between the commits can leave
 * SQL without its metadata. `findCommand` is here because the commands of a bulk may be bulks.
 */

import type { DroppedObject, EditedMetadata } from '@joinery/metadata/api/metadata';
import type { Edit } from '@joinery/metadata/commands/edit/command';
import { nearestName } from '@joinery/metadata/commands/edit/nearest-name';
import { commands as edits } from '@joinery/metadata/commands/registry';
import { z } from 'zod';
import { errorBody, ServiceError } from '../../base/errors.ts';
import { yieldToEvents } from '../../base/steps.ts';
import { clearEntries } from '../../execute/action/action-log.ts';
import { convertEditErrors, dropNewInconsistencies, editContext, nextState, reread } from '../metadata/apply-edit.ts';
import {
  type CommandApi,
  type CommandContext,
  type CommandRequest,
  type Outcome,
  type Progress,
  type ServiceCommand,
  type ServiceCommands,
  success,
} from '../metadata/command-context.ts';
import { droppedObjects, writeDropped } from '../metadata/dropped-objects.ts';
import { inconsistencyError, newInconsistencies, newWarnings, writeWarnings } from '../metadata/inconsistencies.ts';
import type { State } from '../metadata/state.ts';
import { createUnitOfWork } from '../metadata/unit-of-work.ts';
import { applyTogether, leadingEdits } from './bulk-edits.ts';
import { editCommand } from './command.ts';
import { singleCommands } from './registry.ts';
import { readRequest } from './request.ts';

const everywhere: ReadonlySet<CommandApi> = new Set(['v1', 'metadata', 'query']);

type RunElements = (
  requests: readonly CommandRequest[],
  progress: Progress,
  context: CommandContext,
) => Promise<Outcome<readonly unknown[]>>;

/** A bulk changes, and is for every role, as its commands are. */
function bulkCommand(run: RunElements): ServiceCommand<readonly unknown[]> {
  const some = (args: unknown, test: (command: ServiceCommand, args: unknown) => boolean): boolean =>
    readElements(args).some((request, index) => at(index, () => test(findCommand(request.type, 'v1'), request.args)));
  return {
    apis: everywhere,
    changes: (args) => some(args, (command, own) => command.changes(own)),
    showsMetadata: (args) => some(args, (command, own) => command.showsMetadata?.(own) ?? false),
    forEveryRole: (args) => Array.isArray(args) && !some(args, (command, own) => command.forEveryRole?.(own) !== true),
    foreignSql: (args) => some(args, (command, own) => command.foreignSql?.(own) ?? false),
    run: ({ args }, progress, context) => run(readElements(args), progress, { ...context, alone: false }),
  };
}

/** Commands in one bulk. Each edit copies the list that it changes. */
const MAX_COMMANDS = 5_000;
/** Milliseconds after which the event loop handles other events before the next command. */
const SLICE_MS = 20;

/** Returns a function that yields to other events where the last yield is longer than a slice ago. */
function pacer(): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < SLICE_MS) return;
    await yieldToEvents();
    last = performance.now();
  };
}

function readElements(args: unknown): readonly CommandRequest[] {
  if (!Array.isArray(args)) {
    throw new ServiceError('parse-failed', 'must be a list of commands { type, args }', { path: '$.args' });
  }
  if (args.length > MAX_COMMANDS) {
    const message = `a bulk has at most ${MAX_COMMANDS} commands, and this one has ${args.length}; send several`;
    throw new ServiceError('batch-limit-exceeded', message, { path: '$.args' });
  }
  return args.map((element: unknown, index) => readRequest(element, `$.args[${index}]`));
}

async function runAll(
  requests: readonly CommandRequest[],
  progress: Progress,
  context: CommandContext,
): Promise<Outcome<readonly unknown[]>> {
  const results: unknown[] = [];
  let current = progress;
  const pause = pacer();
  while (results.length < requests.length) {
    const edits = leadingEdits(requests.slice(results.length), context.api);
    const together = edits.length > 1 ? await applyTogether(edits, current, context) : undefined;
    if (together !== undefined) {
      current = together;
      results.push(...edits.map(() => success));
      continue;
    }
    // One by one, so that an error names the command.
    for (const request of edits.length > 1 ? edits : requests.slice(results.length, results.length + 1)) {
      await pause();
      const outcome = await runElement(request, results.length, current, context);
      current = outcome.progress;
      results.push(outcome.result);
    }
  }
  return { progress: current, result: results };
}

/** Each command is all or nothing; the result of a failed one is its error. */
async function runEach(
  requests: readonly CommandRequest[],
  progress: Progress,
  context: CommandContext,
): Promise<Outcome<readonly unknown[]>> {
  const results: unknown[] = [];
  let current = progress;
  const pause = pacer();
  for (const [index, request] of requests.entries()) {
    await pause();
    await context.unit.savepoint();
    try {
      const outcome = await runElement(request, index, current, context);
      current = outcome.progress;
      results.push(outcome.result);
    } catch (thrown) {
      // These errors are about the service, not about the command.
      if (!(thrown instanceof ServiceError) || ['busy', 'unknown-outcome'].includes(thrown.code)) throw thrown;
      await context.unit.undo();
      results.push(errorBody(thrown, true));
    }
  }
  return { progress: current, result: results };
}

async function runElement(
  request: CommandRequest,
  index: number,
  progress: Progress,
  context: CommandContext,
): Promise<Outcome> {
  const command = at(index, () => findCommand(request.type, context.api));
  return command.run(request, progress, context).catch((error: unknown) => at(index, () => raise(error)));
}

/** Runs `work` for an element; the paths of its errors start with that of the element. */
function at<T>(index: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ServiceError ? error.under(`$.args[${index}]`) : error;
  }
}

function raise(error: unknown): never {
  throw error;
}

/** Returns the state between two edits, which need not be consistent. */
async function between(
  metadata: State['metadata'],
  rereads: Edit['rereads'],
  progress: Progress,
  context: CommandContext,
): Promise<State> {
  return await nextState(metadata, await reread(rereads, metadata, progress, context), context);
}

/** Edits only, resolved together: one may need an object that a later one adds. */
const atomic = editCommand(z.unknown(), async (args, progress, context): Promise<Outcome<EditedMetadata>> => {
  let { metadata } = progress.state;
  const rereads: Edit['rereads'][number][] = [];
  const clears: NonNullable<Edit['clears']>[] = [];
  const dropped: DroppedObject[] = [];
  for (const [index, request] of readElements(args).entries()) {
    const path = `$.args[${index}]`;
    const command = edits.get(request.type);
    if (command === undefined) {
      const message = `"${request.type}" cannot be part of bulk_atomic, which takes edits of the metadata; use bulk`;
      throw new ServiceError('not-supported', message, { path: `${path}.type` });
    }
    const edit = convertEditErrors(() => command.parse(request.args), `${path}.args`);
    rereads.push(...edit.rereads);
    if (edit.clears !== undefined) clears.push(edit.clears);
    const current = metadata;
    const cascades = edit.dependents === 'drop';
    const isChanged = current !== progress.state.metadata;
    const { model } =
      (edit.needsContext || cascades) && isChanged
        ? await between(current, rereads, progress, context)
        : progress.state;
    const edited = convertEditErrors(() => edit.apply(current, editContext(model, context.tools)), `${path}.args`);
    metadata = edited;
    if (!cascades) continue;
    // Compared with the model before this edit, so that what other edits break is an error and not dropped.
    const after = await between(edited, rereads, progress, context);
    const kept = await dropNewInconsistencies(model, after, context).catch((error: unknown) =>
      at(index, () => raise(error)),
    );
    dropped.push(...droppedObjects(edited, kept.metadata));
    metadata = kept.metadata;
  }
  const read = await reread(rereads, metadata, progress, context);
  const state = await nextState(metadata, read, context);
  const fresh = await newInconsistencies(progress.state.model, state.model);
  if (fresh.length > 0) throw inconsistencyError(fresh, undefined);
  const ignored = await newWarnings(progress.state.model, state.model);
  for (const action of clears) await clearEntries(await context.unit.query(context.tools.store.database), action);
  return {
    progress: { ...read, state },
    result: { ...success, ...writeDropped(dropped), ...writeWarnings(ignored) },
  };
});

/** Commands of a `concurrent_bulk` that run at the same time. */
const MAX_CONCURRENT = 5;

/** Commands that do not change the metadata, at the same time and each in its own transaction. */
const concurrent: ServiceCommand<readonly unknown[]> = {
  apis: new Set(['query']),
  changes: () => false,
  run: async ({ args }, progress, context) => {
    const elements = readElements(args).map((request, index) => ({
      request,
      command: at(index, () => unchanging(request, context.api)),
    }));
    const results: unknown[] = [];
    const failures: unknown[] = [];
    const queue = elements.entries();
    const work = async (): Promise<void> => {
      for (const [index, { request, command }] of queue) {
        if (failures.length > 0) return;
        const unit = createUnitOfWork({ dispose: command.foreignSql?.(request.args) ?? false });
        try {
          results[index] = (await command.run(request, progress, { ...context, unit, alone: false })).result;
          await unit.commit(context.tools.store.database);
        } catch (error) {
          await unit.rollback();
          failures.push(error instanceof ServiceError ? error.under(`$.args[${index}]`) : error);
        }
      }
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, work));
    if (failures.length > 0) throw failures[0];
    return { progress, result: results };
  },
};

function unchanging(request: CommandRequest, api: CommandApi): ServiceCommand {
  const command = findCommand(request.type, api);
  if (!bulkCommands.has(request.type) && !command.changes(request.args)) return command;
  const message = `"${request.type}" cannot be part of concurrent_bulk, which takes commands that do not change the metadata; use bulk, or run_sql with "read_only": true`;
  throw new ServiceError('not-supported', message, { path: '$' });
}

const bulks: ServiceCommands<'bulk' | 'bulk_keep_going' | 'bulk_atomic' | 'concurrent_bulk'> = {
  bulk: bulkCommand(runAll),
  concurrent_bulk: concurrent,
  bulk_keep_going: bulkCommand(runEach),
  bulk_atomic: atomic,
};
const bulkCommands: ReadonlyMap<string, ServiceCommand> = new Map<string, ServiceCommand>(Object.entries(bulks));

/** Returns the names of all commands. */
export function commandNames(): readonly string[] {
  return [...singleCommands.keys(), ...bulkCommands.keys()];
}

/** The endpoint of each API, for error messages. */
const endpoints: Readonly<Record<CommandApi, string>> = {
  v1: '/v1/query',
  metadata: '/v1/metadata',
  query: '/v2/query',
};

/** Throws `parse-failed` at `$.type` for a command that is unknown, or that `api` does not accept. */
export function findCommand(type: string, api: CommandApi): ServiceCommand {
  const command = bulkCommands.get(type) ?? singleCommands.get(type);
  if (command === undefined) {
    const near = nearestName(type, commandNames());
    const hint = near === undefined ? '' : `; did you mean "${near}"?`;
    throw new ServiceError('parse-failed', `unknown command "${type}"${hint}`, { path: '$.type' });
  }
  if (!command.apis.has(api)) {
    const others = [...command.apis].map((one) => endpoints[one]).join(' or ');
    throw new ServiceError('parse-failed', `"${type}" is not a command of ${endpoints[api]}; send it to ${others}`, {
      path: '$.type',
    });
  }
  return command;
}
