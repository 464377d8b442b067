/**
 * `bulk`: several commands in order, all or nothing. Edits of the metadata go on from one state to the next and are
 * stored at the end; SQL and scheduled events happen in one transaction a database, which the storing joins. With one
 * database that is one commit. Where the metadata has a database of its own, the sources are committed first, the
 * metadata last: only a failure between the two commits can leave SQL without the metadata that goes with it.
 */
import { commands as edits } from '@joinery/metadata/commands/registry';
import { errorBody, ServiceError } from '../../base/errors.ts';
import { yieldToEvents } from '../../base/events-first.ts';
import { nextState, within } from '../metadata/apply-edit.ts';
import {
  type CommandApi,
  type Context,
  metadataApis,
  type Outcome,
  type Progress,
  type Request,
  type ServiceCommand,
  success,
} from '../metadata/command-context.ts';
import { editContext } from '../metadata/edit-context.ts';
import { freshInconsistencies, freshUnsupported, inconsistent, writeWarnings } from '../metadata/inconsistencies.ts';
import { applyTogether, leadingEdits } from './bulk-edits.ts';
import { readRequest } from './request.ts';

/** Finds the command behind a `type` for an API. Throws `parse-failed`. */
export type FindCommand = (type: string, api: CommandApi) => ServiceCommand;

const everywhere: ReadonlySet<CommandApi> = new Set(['v1', 'metadata', 'query']);

export function bulkCommands(find: FindCommand): ReadonlyMap<string, ServiceCommand> {
  const any = (args: unknown, test: (command: ServiceCommand, args: unknown) => boolean): boolean =>
    readElements(args).some((request, index) => at(index, () => test(find(request.type, 'v1'), request.args)));
  const shared = {
    apis: everywhere,
    changes: (args: unknown) => any(args, (command, own) => command.changes(own)),
    forEveryRole: (args: unknown) =>
      Array.isArray(args) && !any(args, (command, own) => command.forEveryRole?.(own) !== true),
    foreignSql: (args: unknown) => any(args, (command, own) => command.foreignSql?.(own) ?? false),
  };
  const all: ServiceCommand = {
    ...shared,
    run: ({ args }, progress, context) => runAll(readElements(args), find, progress, { ...context, alone: false }),
  };
  const keepGoing: ServiceCommand = {
    ...shared,
    run: ({ args }, progress, context) => runEach(readElements(args), find, progress, { ...context, alone: false }),
  };
  return new Map([
    ['bulk', all],
    ['bulk_keep_going', keepGoing],
    ['bulk_atomic', atomic],
  ]);
}

/** Commands of one bulk. Each edit copies the list that it changes. */
const MOST_COMMANDS = 5_000;
/** Milliseconds after which other events are handled before the next command. */
const SLICE_MS = 20;

/** Resolves at once, or after other events were handled if the last time was long ago. */
function pacer(): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < SLICE_MS) return;
    await yieldToEvents();
    last = performance.now();
  };
}

function readElements(args: unknown): readonly Request[] {
  if (!Array.isArray(args)) {
    throw new ServiceError('parse-failed', 'must be a list of commands { type, args }', { path: '$.args' });
  }
  if (args.length > MOST_COMMANDS) {
    const message = `a bulk has at most ${MOST_COMMANDS} commands, and this one has ${args.length}; send several`;
    throw new ServiceError('batch-limit-exceeded', message, { path: '$.args' });
  }
  return args.map((element: unknown, index) => readRequest(element, `$.args[${index}]`));
}

async function runAll(
  requests: readonly Request[],
  find: FindCommand,
  progress: Progress,
  context: Context,
): Promise<Outcome> {
  const answers: unknown[] = [];
  let current = progress;
  const pause = pacer();
  while (answers.length < requests.length) {
    const edits = leadingEdits(requests.slice(answers.length), context.api);
    const together = edits.length > 1 ? await applyTogether(edits, current, context) : undefined;
    if (together !== undefined) {
      current = together;
      answers.push(...edits.map(() => success));
      continue;
    }
    // One by one: each is judged by itself, so that the error names the one at fault.
    for (const request of edits.length > 1 ? edits : requests.slice(answers.length, answers.length + 1)) {
      await pause();
      const outcome = await runElement(request, answers.length, find, current, context);
      current = outcome.progress;
      answers.push(outcome.answer);
    }
  }
  return { progress: current, answer: answers };
}

/** Each command is all or nothing by itself; the answer of one that failed is its error. */
async function runEach(
  requests: readonly Request[],
  find: FindCommand,
  progress: Progress,
  context: Context,
): Promise<Outcome> {
  const answers: unknown[] = [];
  let current = progress;
  const pause = pacer();
  for (const [index, request] of requests.entries()) {
    await pause();
    await context.unit.savepoint();
    try {
      const outcome = await runElement(request, index, find, current, context);
      current = outcome.progress;
      answers.push(outcome.answer);
    } catch (thrown) {
      // Any other error is about the service, not about the one command.
      if (!(thrown instanceof ServiceError) || ['busy', 'unknown-outcome'].includes(thrown.code)) throw thrown;
      await context.unit.undo();
      answers.push(errorBody(thrown, true));
    }
  }
  return { progress: current, answer: answers };
}

async function runElement(
  request: Request,
  index: number,
  find: FindCommand,
  progress: Progress,
  context: Context,
): Promise<Outcome> {
  const command = at(index, () => find(request.type, context.api));
  return command.run(request, progress, context).catch((error: unknown) => at(index, () => raise(error)));
}

/** Runs `work` for one element; the paths of its errors begin there. */
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

/** Edits alone, judged by what they come to together: one may need what a later one brings. */
const atomic: ServiceCommand = {
  apis: metadataApis,
  changes: () => true,
  run: async ({ args }, progress, context) => {
    let { metadata } = progress.state;
    for (const [index, request] of readElements(args).entries()) {
      const path = `$.args[${index}]`;
      const command = edits.get(request.type);
      if (command === undefined) {
        const message = `"${request.type}" cannot be part of bulk_atomic, which takes edits of the metadata; use bulk`;
        throw new ServiceError('not-supported', message, { path: `${path}.type` });
      }
      const current = metadata;
      metadata = within(
        () => command.parse(request.args).apply(current, editContext(progress.state.model)),
        `${path}.args`,
      );
    }
    const state = await nextState(metadata, progress, context);
    const fresh = await freshInconsistencies(progress.state.model, state.model);
    if (fresh.length > 0) throw inconsistent(fresh, undefined);
    const ignored = await freshUnsupported(progress.state.model, state.model);
    return { progress: { ...progress, state }, answer: { ...success, ...writeWarnings(ignored) } };
  },
};
