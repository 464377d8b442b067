/** The stage of resolve for actions. */

import type { ActionName } from '@joinery/metadata/names';
import { type ActionDefinition, ActionRetries, type Action as WrittenAction } from '@joinery/metadata/schema/actions';
import type { Header } from '@joinery/metadata/schema/headers';
import { type Environment, expand, templateProblem, unusableReason, variablesIn } from '../../base/environment.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { neverReturned } from '../../base/http-client/headers.ts';
import type { Steps } from '../../base/steps.ts';
import { readRequestTransform, readResponseTransform, TemplateError } from '../../base/templates/transform.ts';
import { type TakenNames, takenNames } from '../names/taken-names.ts';
import type { Action, AsynchronousRun, InputField } from '../types/action.ts';
import type { Draft } from '../types/draft.ts';
import { defaultProblem } from './arguments.ts';
import { InvalidType, inputFieldOf, type TypeLookup } from './custom-types.ts';

interface Problem {
  readonly code: ErrorCode;
  readonly reason: string;
}

/** The valid actions by name. Reports the others. */
export function* resolveActions(draft: Draft, types: TypeLookup): Steps<ReadonlyMap<ActionName, Action>> {
  const taken = takenNames(draft);
  const actions = new Map<ActionName, Action>();
  const seen = new Map<string, string>();
  for (const [index, written] of (draft.input.metadata.actions ?? []).entries()) {
    yield;
    const path = `$.actions[${index}]`;
    const first = seen.get(written.name);
    const problems: Problem[] = [
      ...(first === undefined ? [] : [{ code: 'already-exists' as const, reason: `there is one at ${first} already` }]),
      ...definitionProblems(written, draft.input.environment),
      ...rootProblems(written, taken),
      ...asynchronousProblems(written, types, taken),
    ];
    seen.set(written.name, first ?? path);
    const action = resolveAction(written, types, problems);
    const [problem] = problems;
    if (problem === undefined && action !== undefined) actions.set(written.name, action);
    else {
      draft.report({
        type: 'action',
        name: first === undefined ? `action ${written.name}` : `action ${written.name} at ${path}`,
        path,
        code: problem?.code ?? 'invalid-configuration',
        reason: `in action "${written.name}": ${problems.map(({ reason }) => reason).join('; ')}`,
        definition: written,
      });
    }
  }
  return actions;
}

/** The action; undefined after adding to `problems` if its output type is not usable. */
function resolveAction(written: WrittenAction, types: TypeLookup, problems: Problem[]): Action | undefined {
  const { definition } = written;
  const add = (reason: string) => problems.push({ code: 'invalid-configuration', reason });
  const inputs = new Map<string, InputField>();
  for (const argument of definition.arguments) {
    const { name } = argument;
    const type = types.input(argument.type);
    if (inputs.has(name)) add(`argument "${name}" is defined more than once`);
    else if (type instanceof InvalidType) add(`argument "${name}": ${type.reason}`);
    else {
      const field = inputFieldOf(argument, type);
      const problem = defaultProblem(field);
      if (problem !== undefined) add(`argument "${name}": ${problem}`);
      inputs.set(name, field);
    }
  }
  const output = types.output(definition.output_type);
  if (output instanceof InvalidType) {
    add(`output_type: ${output.reason}`);
    return undefined;
  }
  return {
    name: written.name,
    type: definition.type,
    arguments: [...inputs.values()],
    output,
    handler: definition.handler,
    headers: definition.headers,
    forwardClientHeaders: definition.forward_client_headers,
    ignoredClientHeaders: definition.ignored_client_headers?.map((name) => name.toLowerCase()),
    timeoutMs: definition.timeout * 1_000,
    ...(isAsynchronous(definition) && { asynchronous: retriesOf(definition) }),
    ...readTransforms(definition).transforms,
    ...callSettings(definition),
    roles: new Set(written.permissions?.map(({ role }) => role)),
    comment: written.comment ?? undefined,
  };
}

/** Parsing removes the kind of query actions, on which it has no effect, as in Hasura v2. */
function isAsynchronous({ kind }: ActionDefinition): boolean {
  return kind === 'asynchronous';
}

function retriesOf({ retry_conf }: ActionDefinition): AsynchronousRun {
  const { num_retries, retry_interval_seconds } = ActionRetries.parse(retry_conf ?? {});
  return { retries: num_retries, intervalMs: retry_interval_seconds * 1_000 };
}

/** The errors of an asynchronous action, whose name is also that of a query field, a subscription field and a type. */
function asynchronousProblems(
  { name, definition }: WrittenAction,
  types: TypeLookup,
  taken: TakenNames,
): readonly Problem[] {
  if (!isAsynchronous(definition)) {
    if (definition.retry_conf === undefined || definition.retry_conf === null) return [];
    const reason = 'retry_conf: only asynchronous mutations are retried; leave it out, or write "kind": "asynchronous"';
    return [{ code: 'not-supported', reason }];
  }
  const problems: Problem[] = [];
  const field = taken.queryField(name);
  if (field !== undefined) {
    const reason = `its result is a field "${name}" of the query root, which ${field} already has`;
    problems.push({ code: 'unexpected', reason: `${reason}; rename the action or give the table a custom root field` });
  }
  const custom = [types.output(name), types.input(name)].some((type) => !(type instanceof InvalidType));
  const owner = custom ? 'another type of that name' : taken.type(name);
  if (owner !== undefined) {
    const reason = `its result has a type "${name}", and the name belongs to ${owner}; rename the action or the type`;
    problems.push({ code: 'unexpected', reason });
  }
  return problems;
}

function definitionProblems({ definition }: WrittenAction, environment: Environment): Problem[] {
  const problems: Problem[] = [];
  const invalid = [
    ...(definition.timeout === 0 ? ['timeout: no handler responds within 0 seconds; set at least 1'] : []),
    ...handlerProblems(definition.handler, environment),
    ...headerProblems(definition.headers, environment),
    ...callProblems(definition),
    ...readTransforms(definition).problems,
  ];
  problems.push(...invalid.map((reason): Problem => ({ code: 'invalid-configuration', reason })));
  return problems;
}

/** The expanded URL may contain secrets, so messages show it as written. */
function handlerProblems(handler: string, environment: Environment): string[] {
  const malformed = templateProblem(handler);
  if (malformed !== undefined) return [`handler: "${handler}" ${malformed}`];
  const missing = variablesIn(handler).flatMap((name) => unusableReason(name, environment) ?? []);
  if (missing.length > 0) return missing.map((reason) => `handler: ${reason}`);
  const address = expand(handler, environment);
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return [];
  return [`handler: "${handler}" is not an http or https URL`];
}

function headerProblems(headers: readonly Header[], environment: Environment): string[] {
  return headers.flatMap((header, index) => {
    const names = 'value' in header ? variablesIn(header.value) : [header.value_from_env];
    return names.flatMap((name) => {
      const reason = unusableReason(name, environment);
      return reason === undefined ? [] : [`headers[${index}] (${header.name}): ${reason}`];
    });
  });
}

function rootProblems({ name, definition }: WrittenAction, taken: TakenNames): Problem[] {
  const { type } = definition;
  const owner = type === 'query' ? taken.queryField(name) : taken.mutationField(name);
  if (owner === undefined) return [];
  const reason = `the ${type} root has a field "${name}" already, from ${owner}; rename the action or give the table a custom root field`;
  return [{ code: 'unexpected', reason }];
}

type Transforms = Pick<Action, 'requestTransform' | 'responseTransform'>;

/** Parses the templates of transforms. `problems` has a message with the position for each invalid template. */
function readTransforms({ request_transform: request, response_transform: response }: ActionDefinition): {
  readonly transforms: Transforms;
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const read = <Result>(member: string, parse: () => Result): Result | undefined => {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      problems.push(...error.issues.map(({ path, message }) => `${member}${path}: ${message}`));
      return undefined;
    }
  };
  const transforms: Transforms = {
    ...(request && { requestTransform: read('request_transform', () => readRequestTransform(request)) }),
    ...(response && { responseTransform: read('response_transform', () => readResponseTransform(response)) }),
  };
  return { transforms, problems };
}

function callSettings(definition: ActionDefinition): Pick<Action, 'returnedHeaders' | 'maxCalls' | 'cache'> {
  const { forward_response_headers: headers, max_concurrent_calls: maxCalls, cache } = definition;
  return {
    ...(headers && { returnedHeaders: new Set(headers.map((name) => name.toLowerCase())) }),
    ...(maxCalls !== undefined && { maxCalls }),
    ...(cache && {
      cache: {
        ttlMs: cache.ttl_seconds * 1_000,
        sessionVariables: cache.session_variables?.map((name) => name.toLowerCase()),
      },
    }),
  };
}

/** The errors of these settings. */
function callProblems({ type, cache, forward_response_headers: headers = [] }: ActionDefinition): string[] {
  const own = headers.filter((name) => neverReturned.has(name.toLowerCase()));
  const cookies = headers.some((name) => name.toLowerCase() === 'set-cookie');
  return [
    ...own.map(
      (name) =>
        `forward_response_headers: "${name}" describes the handler's response only and cannot be forwarded; leave it out`,
    ),
    ...(cache && type === 'mutation'
      ? ['cache: only query actions are cached; leave it out, or write "type": "query"']
      : []),
    ...(cache && cookies
      ? ['cache: a response that sets cookies is for one client; leave out "cache" or "Set-Cookie"']
      : []),
  ];
}
