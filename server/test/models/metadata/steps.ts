/** Steps of a run against two nodes, each checked against the model. */
import fc from 'fast-check';
import { anyCommand, relatedCommand } from './commands.ts';
import { type Document, emptyDocument, exported, type Upstreams } from './documents.ts';
import type { Command } from './edit.ts';
import { elementsOf, INCONSISTENT, isChange, type Outcome, run } from './model.ts';
import type { Cut } from './node.ts';
import { capturesOf, difference, type Nodes, PROCESS, type Response } from './nodes.ts';
import { problemsOf } from './problems.ts';
import { remoteCommands } from './remote-commands.ts';
import { type Server, serverNames, serverOf } from './remote-servers.ts';

export type Step =
  | {
      readonly kind: 'run';
      readonly node: number;
      readonly command: Command;
      readonly version: 'none' | 'current' | 'earlier';
    }
  /** Two commands at the same time, one on each node. */
  | { readonly kind: 'race'; readonly commands: readonly [Command, Command]; readonly versioned: boolean }
  /** Connections that are cut between two commands. */
  | { readonly kind: 'cut'; readonly node: number }
  /** Connections that are cut within a command. */
  | { readonly kind: 'cut-within'; readonly node: number; readonly command: Command; readonly at: keyof typeof cuts }
  /** A process that is killed within a command, and started again. */
  | { readonly kind: 'kill-within'; readonly command: Command; readonly at: keyof typeof kills }
  /** Another schema of a GraphQL server, which the node reads and announces. */
  | { readonly kind: 'serve'; readonly node: number; readonly server: Server; readonly extent: Upstreams[Server] };

/** The statement that stores metadata, or the parameters of the prepared one. A change without other statements needs no commit. */
const change = /update joinery\.metadata|"version":3,"sources"/;
const commit = /Q.{4}commit/is;

const cuts = {
  'before the change': { when: 'before', statement: change },
  'after the change': { when: 'after', statement: change },
  'before the commit': { when: 'before', statement: commit },
  'after the commit': { when: 'after', statement: commit },
} as const satisfies Readonly<Record<string, Cut>>;

const anyStatement = /./;

/** In addition after some statements of the command, or of the node meanwhile. */
const kills = {
  ...cuts,
  'at the first statement': { when: 'before', statement: anyStatement },
  'at the third statement': { when: 'before', statement: anyStatement, skip: 2 },
  'at the sixth statement': { when: 'after', statement: anyStatement, skip: 5 },
} as const satisfies Readonly<Record<string, Cut>>;

function namesOf<Name extends string>(table: Readonly<Record<Name, unknown>>): fc.Arbitrary<Name> {
  return fc.constantFrom(...(Object.keys(table) as Name[]));
}

const node = fc.constantFrom(0, 1);

/** A command on one of the nodes. */
const stepOf = (command: fc.Arbitrary<Command>): fc.Arbitrary<Step> =>
  fc.record({ kind: fc.constant('run' as const), node, command, version: fc.constant('none' as const) });

/** A command on relationships or their permissions. */
export const relatedStep = stepOf(relatedCommand);

/** A command on remote schemas, their permissions and relationships. */
export const remoteStep = stepOf(remoteCommands);

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 24,
    arbitrary: fc.record({
      kind: fc.constant('run' as const),
      node,
      command: anyCommand,
      version: fc.constantFrom(
        'none' as const,
        'none' as const,
        'none' as const,
        'current' as const,
        'earlier' as const,
      ),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('race' as const),
      commands: fc.tuple(anyCommand, anyCommand),
      versioned: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const), node }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('cut-within' as const),
      node,
      command: anyCommand,
      at: namesOf(cuts),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('kill-within' as const), command: anyCommand, at: namesOf(kills) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('serve' as const),
      node,
      server: fc.constantFrom(...serverNames),
      extent: fc.constantFrom('full' as const, 'reduced' as const),
    }),
  },
);

/** The metadata that the model expects. */
interface Expected {
  readonly document: Document;
  readonly version: number;
}

/** Runs the steps from empty metadata, and compares nodes and database with the model. Throws an error where they differ. */
export async function runSteps(nodes: Nodes, steps: readonly Step[]): Promise<void> {
  let expected: Expected = { document: emptyDocument, version: (await nodes.stored()).version };
  const failed: boolean[] = [false, false];
  for (const [index, step] of steps.entries()) {
    const where = (problem: string): Error => new Error(`step ${index} (${step.kind}): ${problem}`);
    expected = await runStep(nodes, step, expected, failed, where);
    const stored = await nodes.stored();
    const problem = difference(stored.metadata, exported(expected.document, nodes.source, true));
    if (problem !== undefined) throw where(`the stored metadata ${problem}`);
    if (stored.version !== expected.version)
      throw where(`the version is ${stored.version} in place of ${expected.version}`);
  }
  await checkEnd(nodes, expected);
}

async function runStep(
  nodes: Nodes,
  step: Step,
  expected: Expected,
  failed: boolean[],
  where: (problem: string) => Error,
): Promise<Expected> {
  switch (step.kind) {
    case 'run': {
      const version = { none: undefined, current: expected.version, earlier: expected.version - 1 }[step.version];
      const response = await nodes.send(step.node, step.command, version);
      const outcome = at(expected, step.command, version);
      // The first command after a cut may find its connection closed.
      const isAfterCut = failed[step.node] === true;
      if (isAfterCut && response.code === 'busy') return expected;
      failed[step.node] = false;
      if (isAfterCut && response.code === 'unknown-outcome') {
        return afterCut(nodes, response, outcome, step.command, expected, where);
      }
      const problem = mismatch(response, outcome, step.command);
      if (problem !== undefined) throw where(problem);
      return next(expected, outcome);
    }
    case 'race':
      // The commands do not find closed connections.
      for (const one of [0, 1]) if (failed[one] === true) await nodes.exportOf(one);
      failed.fill(false);
      return race(nodes, step.commands, step.versioned ? expected.version : undefined, expected, where);
    case 'cut':
      nodes.cut(step.node);
      failed[step.node] = true;
      return expected;
    case 'cut-within': {
      const response = await nodes.sendThrough(step.node, step.command, cuts[step.at]);
      failed[step.node] = true;
      return afterCut(nodes, response, at(expected, step.command, undefined), step.command, expected, where);
    }
    case 'kill-within': {
      const response = await nodes.sendAndKill(step.command, kills[step.at]);
      // The first command after a cut may have found its connection closed.
      const isRejected = failed[PROCESS] === true && response.code === 'busy';
      failed[PROCESS] = false;
      const outcome = at(expected, step.command, undefined);
      const after = isRejected ? expected : await afterCut(nodes, response, outcome, step.command, expected, where);
      await checkEnd(nodes, after);
      return after;
    }
    case 'serve':
      return serve(nodes, step, expected, failed, where);
    default:
      return step satisfies never;
  }
}

/** Both nodes read the schema after `reload_metadata` on one of them. */
async function serve(
  nodes: Nodes,
  { node: reading, server, extent }: Extract<Step, { kind: 'serve' }>,
  expected: Expected,
  failed: boolean[],
  where: (problem: string) => Error,
): Promise<Expected> {
  nodes.serve(server, extent);
  const reload = (): Promise<Response> => nodes.send(reading, { type: 'reload_metadata', args: {} });
  let response = await reload();
  if (failed[reading] === true && response.code === 'busy') response = await reload();
  failed[reading] = false;
  if (response.code !== undefined) throw where(`the schema is not read: ${JSON.stringify(response.body)}`);
  const { document, version } = expected;
  const remotes = document.remotes.filter(({ definition }) => serverOf(definition.url) === server);
  const names = remotes.map(({ name }) => name);
  for (const one of [0, 1]) await nodes.untilRead(one, names, server, extent);
  return { document: { ...document, upstreams: { ...document.upstreams, [server]: extent } }, version };
}

function at(expected: Expected, command: Command, version: number | undefined): Outcome {
  const isCurrent = version === undefined || version === expected.version;
  return isCurrent || command.type.endsWith('_')
    ? run(expected.document, command)
    : { document: expected.document, code: 'conflict' };
}

function next(expected: Expected, outcome: Outcome): Expected {
  const version = expected.version + (isChange(expected.document, outcome) ? 1 : 0);
  return { document: outcome.document, version };
}

/** The responses and the result are those of the two commands in one of both orders. */
async function race(
  nodes: Nodes,
  commands: readonly [Command, Command],
  version: number | undefined,
  expected: Expected,
  where: (problem: string) => Error,
): Promise<Expected> {
  const responses = await Promise.all(commands.map((command, index) => nodes.send(index, command, version)));
  const stored = await nodes.stored();
  const problems: string[] = [];
  for (const order of [
    [0, 1],
    [1, 0],
  ] as const) {
    let current = expected;
    const found = order.map((index) => {
      const command = commands[index];
      const outcome = at(current, command, version);
      current = next(current, outcome);
      return mismatch(responses[index] as Response, outcome, command);
    });
    found.push(difference(stored.metadata, exported(current.document, nodes.source, true)));
    const real = found.filter((one) => one !== undefined);
    if (real.length === 0) return current;
    problems.push(`in the order ${order.join()}: ${real.join('\n')}`);
  }
  throw where(problems.join('\n'));
}

/** A command whose connection was cut, or whose node was killed, is made as a whole or not at all, and `busy` reports that it was not made. */
async function afterCut(
  nodes: Nodes,
  response: Response,
  outcome: Outcome,
  command: Command,
  expected: Expected,
  where: (problem: string) => Error,
): Promise<Expected> {
  await nodes.untilIdle();
  const stored = await nodes.stored();
  const made = next(expected, outcome);
  const isMade = difference(stored.metadata, exported(made.document, nodes.source, true)) === undefined;
  if (response.code === undefined || !['busy', 'unknown-outcome', 'unreachable'].includes(response.code)) {
    const problem = mismatch(response, outcome, command);
    if (problem !== undefined) throw where(problem);
    return made;
  }
  if (!isMade || stored.version === expected.version) return expected;
  if (response.code === 'busy') throw where('a command that failed with "busy" was made');
  return made;
}

/** Returns how a response differs from the one of the model. */
function mismatch({ code, body }: Response, outcome: Outcome, command: Command): string | undefined {
  const what = `${JSON.stringify(command)} has the response ${JSON.stringify(body)?.slice(0, 1_000)}`;
  if (!agrees(code, outcome.code, command)) return `${what} in place of the code ${outcome.code ?? 'of a success'}`;
  if (code !== undefined) return undefined;
  if (outcome.codes !== undefined) {
    const codes = (body as readonly { readonly code?: string }[]).map((one) => one.code);
    const elements = elementsOf(command.args);
    const isSame = codes.every((one, index) => agrees(one, outcome.codes?.[index], elements[index] ?? command));
    return isSame && codes.length === elements.length
      ? undefined
      : `${what} in place of the codes ${outcome.codes.join()}`;
  }
  return undefined;
}

function agrees(code: string | undefined, expected: string | undefined, { type }: Command): boolean {
  if (code === undefined || expected === undefined) return code === expected;
  if (['busy', 'unknown-outcome', 'unreachable', 'unexpected', 'internal-error'].includes(code)) return false;
  if ((code === 'conflict') !== (expected === 'conflict')) return false;
  // An inconsistency has the code of its object, and a bulk the code of its first element that fails alone.
  return expected === INCONSISTENT || type.startsWith('bulk') || code === expected;
}

/** The nodes, a new one and the database agree, and an export can be applied without a change. */
async function checkEnd(nodes: Nodes, { document, version }: Expected): Promise<void> {
  const metadata = exported(document, nodes.source);
  const [first, second] = [await nodes.exportOf(0), await nodes.exportOf(1)];
  if (first !== second) throw new Error(`the exports of the nodes differ: ${first}\n${second}`);
  const problems = [
    ['the export', difference(JSON.parse(first), metadata)],
    ['the export of a new node', difference(await nodes.freshExport(), metadata)],
    ['the list of capture triggers', difference(await nodes.captures(), capturesOf(document))],
  ].filter(([, problem]) => problem !== undefined);
  if (problems.length > 0) throw new Error(`at the end ${problems.map((one) => one.join(' ')).join('\n')}`);

  for (const one of [0, 1]) {
    const listed = await nodes.send(one, { type: 'get_inconsistent_metadata', args: {} });
    const { inconsistent_objects: objects } = listed.body as {
      readonly inconsistent_objects: readonly { readonly type: string }[];
    };
    const expectedTypes = problemsOf(document).map(({ type }) => type);
    const types = difference(objects.map(({ type }) => type).sort(), expectedTypes.sort());
    if (types !== undefined) throw new Error(`at the end the list of inconsistencies of node ${one} ${types}`);
  }

  const args = { document, allow_inconsistent_metadata: true };
  const applied = await nodes.send(1, { type: 'replace_metadata', args });
  if (applied.code !== undefined) throw new Error(`the export cannot be applied: ${JSON.stringify(applied.body)}`);
  const again = await nodes.exportOf(0);
  if (again !== first) throw new Error(`the export differs after it is applied: ${again}\n${first}`);
  const { version: after } = await nodes.stored();
  if (after !== version) throw new Error(`applying the export changes the version from ${version} to ${after}`);
}
