/** Resolves an action from its definition and plans a call that selects all scalar fields, without a service. */

import { ADMIN_ROLE, RoleName } from '@joinery/metadata/names';
import { ServiceError } from '../../src/base/errors.ts';
import type { HttpClient } from '../../src/base/http-client/http-client.ts';
import { parseJson, printJson } from '../../src/base/json-value.ts';
import { runAtOnce } from '../../src/base/steps.ts';
import { silent } from '../../src/base/telemetry/observe.ts';
import { type ActionResult, runAction } from '../../src/execute/action/action.ts';
import { createHandlerState } from '../../src/execute/action/handler/handler-state.ts';
import type { ExecuteContext } from '../../src/execute/context/context.ts';
import { JoinCollector } from '../../src/execute/join/joins.ts';
import { resolveActions } from '../../src/model/actions/actions.ts';
import { resolveCustomTypes } from '../../src/model/actions/custom-types.ts';
import { namedIn } from '../../src/model/actions/type-expression.ts';
import type { Action, OutputObject } from '../../src/model/types/action.ts';
import type { CallPlan } from '../../src/plan/plan/action.ts';
import type { OutputFieldPlan } from '../../src/plan/plan/query.ts';
import { draftOf } from '../support/model/draft.ts';

const environment = { TOKEN: 'very-secret' };

const custom_types = {
  objects: [
    {
      name: 'Item',
      fields: [
        { name: 'id', type: 'Int!' },
        { name: 'name', type: 'String' },
        { name: 'price', type: 'Float' },
        { name: 'amount', type: 'numeric' },
        { name: 'parts', type: '[Item!]' },
      ],
    },
  ],
};

/** Returns the action `act` with handler `url` and output type `Item` by default. Throws its inconsistencies. */
export function actionAt(url: string, definition: object = {}): Action {
  const complete = { output_type: 'Item', handler: url, timeout: 5, ...definition };
  const { draft, reports } = draftOf({
    custom_types,
    environment,
    actions: [{ name: 'act', definition: complete }],
  });
  const [action] = [...runAtOnce(resolveActions(draft, runAtOnce(resolveCustomTypes(draft)))).values()];
  if (action === undefined) throw new Error(reports.map(({ reason }) => reason).join());
  return action;
}

/** Returns a call that selects all scalar fields of the output object. */
export function callOf(action: Action, input: Readonly<Record<string, unknown>> = {}): CallPlan {
  const output = namedIn(action.output);
  const object: OutputObject | undefined = output.kind === 'object' ? output : undefined;
  const fields = object && [...object.fields.values()].filter(({ type }) => namedIn(type).kind === 'scalar');
  return {
    action,
    input: Object.entries(input).map(([name, value]) => ({ name, value: { kind: 'constant', value } })),
    output: {
      type: action.output,
      fields: fields?.map(({ name, type }): OutputFieldPlan => {
        return { kind: 'field', alias: name, name, output: { type, fields: undefined } };
      }),
    },
  };
}

/** Calls the handler. The result has no joins. */
export async function runCall(
  call: CallPlan,
  context: ExecuteContext,
): Promise<Pick<ActionResult, 'headers'> & { readonly value: unknown }> {
  const { output, headers } = await runAction(call, context, new JoinCollector());
  return { value: parseJson(printJson(output.value())), headers };
}

export function contextWith(httpClient: HttpClient, change: Partial<ExecuteContext> = {}): ExecuteContext {
  return {
    session: { role: ADMIN_ROLE, variables: new Map([['x-service-role', 'admin']]) },
    headers: {},
    query: 'mutation { act { id } }',
    variables: {},
    database: () => {
      throw new Error('an action without joins must not use a database');
    },
    httpClient,
    handlers: createHandlerState(),
    environment,
    settings: {
      stringifyNumerics: false,
      sessionPrefix: 'x-service-',
      configuredHeaderPrecedence: false,
      version: '1.2.3',
      maxActionResponseBytes: 20_000_000,
      maxRemoteResponseBytes: 20_000_000,
    },
    observe: silent,
    ...change,
  };
}

/** Returns a session of role `user` with user id `id`. */
export function sessionOf(id: string): ExecuteContext['session'] {
  const variables = new Map([
    ['x-service-role', 'user'],
    ['x-service-user-id', id],
  ]);
  return { role: RoleName.parse('user'), variables };
}

/** Returns the ServiceError that `running` rejects with. */
export async function errorOf(running: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await running.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceError)) throw new Error(`expected a ServiceError, got ${String(error)}`);
  return error;
}
