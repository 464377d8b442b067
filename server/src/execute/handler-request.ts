/** The request to the handler of an action: address, headers and body, and how they may be shown. */
import type { Headers, Session } from '../auth/session.ts';
import { type Environment, expand } from '../base/environment.ts';
import { ServiceError } from '../base/errors.ts';
import { ExactNumber, printJson } from '../base/json.ts';
import type { InputNamed, TypeRef } from '../model/action-model.ts';
import type { CallPlan, InputPlan } from '../plan/plan.ts';
import { type HandlerSettings, handlerHeaders } from './handler-headers.ts';

/** What a handler is told of a request to the service. */
export interface HandlerCaller {
  readonly session: Session;
  /** Of the client's request, names in lower case. */
  readonly headers: Headers;
  /** After coercion; one that was not given is not there. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The document as the client sent it. */
  readonly query: string;
}

export interface HandlerRequest {
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** For admins when something goes wrong: without values of the environment and without credentials. */
  readonly shown: Readonly<Record<string, unknown>>;
}

/**
 * Builds the request. Throws `invalid-configuration` when a variable of the environment is gone, and `parse-failed` for
 * an argument that PostgreSQL would not read.
 */
export function handlerRequest(
  call: CallPlan,
  caller: HandlerCaller,
  settings: HandlerSettings,
  environment: Environment,
): HandlerRequest {
  const { action } = call;
  const payload = {
    action: { name: action.name },
    input: inputOf(call, caller.variables),
    session_variables: sessionVariables(caller.session, settings),
    request_query: caller.query,
  };
  const headers = handlerHeaders(action, caller.headers, settings, environment);
  return {
    url: expand(action.handler, environment),
    headers: headers.map(({ name, value }) => [name, value]),
    body: printJson(payload),
    shown: {
      url: action.handler,
      ...payload,
      headers: headers.map(({ name, shown }) => ({ name, value: shown })),
    },
  };
}

/** Arguments that were not given are left out, nulls are kept. */
function inputOf(call: CallPlan, variables: HandlerCaller['variables']): Readonly<Record<string, unknown>> {
  const input: Record<string, unknown> = {};
  for (const { name, value } of call.input) {
    const given = readInput(value, variables);
    if (given !== undefined) input[name] = given;
  }
  for (const { name, type } of call.action.arguments) {
    if (input[name] !== undefined) checkScalars(type, input[name], `$.selectionSet.${call.action.name}.args.${name}`);
  }
  return input;
}

/** The value with its variables filled in; undefined for a variable that was not given. */
export function readInput(plan: InputPlan, variables: HandlerCaller['variables']): unknown {
  switch (plan.kind) {
    case 'constant':
      return plan.value;
    case 'variable':
      return variables[plan.name];
    case 'list':
      return plan.items.map((item) => readInput(item, variables) ?? null);
    case 'object': {
      const members = plan.members.map(({ name, value }) => [name, readInput(value, variables)] as const);
      return Object.fromEntries(members.filter(([, value]) => value !== undefined));
    }
    default:
      return plan satisfies never;
  }
}

const uuid = /^\{?[0-9a-f]{4}(?:-?[0-9a-f]{4}){7}\}?$/i;

/** Postgres scalars that are written as strings; no statement will refuse a bad one, so a glance must do. */
const written: ReadonlySet<string> = new Set([
  ...['uuid', 'date', 'time', 'timetz', 'timestamp', 'timestamptz', 'interval'],
  ...['inet', 'cidr', 'macaddr', 'macaddr8', 'bytea', 'bpchar', 'citext'],
]);

function checkScalars(type: TypeRef<InputNamed>, value: unknown, path: string): void {
  if (value === null || value === undefined) return;
  if (type.kind === 'nonNull') {
    checkScalars(type.of, value, path);
    return;
  }
  if (type.kind === 'list') {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const [index, item] of items.entries()) checkScalars(type.of, item, `${path}[${index}]`);
    return;
  }
  const named = type.type;
  if (named.kind === 'input') {
    for (const field of named.fields.values()) {
      checkScalars(field.type, (value as Readonly<Record<string, unknown>>)[field.name], `${path}.${field.name}`);
    }
    return;
  }
  if (named.kind !== 'scalar' || named.origin !== 'postgres' || !written.has(named.name)) return;
  const fits = typeof value === 'string' && (named.name !== 'uuid' || uuid.test(value));
  if (fits) return;
  const found = value instanceof ExactNumber ? value.text : JSON.stringify(value)?.slice(0, 60);
  throw new ServiceError('parse-failed', `expected a value of type ${named.name}, found ${found}`, { path });
}

function sessionVariables(session: Session, { sessionPrefix }: HandlerSettings): Readonly<Record<string, string>> {
  const variables = [...session.variables].filter(([name]) => name !== `${sessionPrefix}admin-secret`);
  return { ...Object.fromEntries(variables), [`${sessionPrefix}role`]: session.role };
}
