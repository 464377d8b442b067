/** The types of one action: its arguments, the body of a call, and the response. */

import type { Metadata } from '../metadata.ts';
import type { Action } from '../schema/actions.ts';
import { comment, type Names, pascal, property, typeAlias } from './layout.ts';
import type { TypeScriptTypes } from './types.ts';

/** The names of an action's types and handler, and their declarations. */
export interface CallTypes {
  readonly action: Action;
  /** Name of the handler function. */
  readonly handler: string;
  readonly arguments: string;
  readonly call: string;
  /** Set if a relationship calls the action with many inputs at once. */
  readonly batch: string | undefined;
  readonly response: string;
  readonly text: string;
}

/** `functions` generates the names of handlers, `names` those of types. */
export function callTypes(
  action: Action,
  types: TypeScriptTypes,
  { names, functions, batched }: { names: Names; functions: Names; batched: ReadonlySet<string> },
): CallTypes {
  const { definition } = action;
  const begin = pascal(action.name);
  const named = {
    arguments: names.take(`${begin}Arguments`),
    call: names.take(`${begin}Call`),
    batch: batched.has(action.name) ? names.take(`${begin}BatchCall`) : undefined,
    response: names.take(`${begin}Answer`),
  };
  const asynchronous = definition.type === 'mutation' && definition.kind === 'asynchronous';
  const query =
    comment([asynchronous ? 'Null: called after the response to the client.' : 'The document of the client.'], '  ') +
    property('request_query', asynchronous ? ['null'] : ['string', 'null']);
  const envelope = (member: string) =>
    `${property('action', [`{ name: "${action.name}" }`])}${member}${property('session_variables', ['SessionVariables'])}${query}`;
  const fields = types.inputs(definition.arguments, `arguments of ${action.name}`);
  const parts = [
    comment([action.comment ?? undefined, `Arguments of the ${definition.type} ${action.name}.`]) +
      (fields === ''
        ? `export type ${named.arguments} = { [name: string]: never };\n`
        : `export interface ${named.arguments} {\n${fields}}\n`),
    comment([`The request to the handler of ${action.name}.`, ...remarks(action)]) +
      `export interface ${named.call} {\n${envelope(property('input', [named.arguments]))}}\n`,
    ...(named.batch === undefined
      ? []
      : [
          comment(['The request of relationships with "batch". The response is a list in the order of the inputs.']) +
            `export interface ${named.batch} {\n${envelope(property('inputs', [`${named.arguments}[]`]))}}\n`,
        ]),
    typeAlias(named.response, types.of(definition.output_type, 'output', `output type of ${action.name}`)),
  ];
  return { action, handler: functions.take(action.name), ...named, text: parts.join('\n') };
}

function remarks({ definition }: Action): readonly string[] {
  const { request_transform: request, response_transform: response, kind, type } = definition;
  return [
    request && 'The handler receives the result of request_transform for this request.',
    response && 'The response type describes the result of response_transform.',
    kind === 'asynchronous' && type === 'mutation' && 'It may be called twice for one run, so it must be idempotent.',
  ].filter((remark) => typeof remark === 'string');
}

/** Returns the names of actions that a relationship calls with lists of inputs. */
export function batchedActions({
  custom_types: types,
  sources,
  remote_schemas: remotes,
}: Metadata): ReadonlySet<string> {
  const relationships: readonly object[] = [
    ...(types?.objects ?? []).flatMap((type) => type.relationships ?? []),
    ...sources.flatMap((source) => source.tables.flatMap((table) => table.remote_relationships ?? [])),
    ...(remotes ?? []).flatMap((remote) => (remote.remote_relationships ?? []).flatMap((type) => type.relationships)),
  ];
  return new Set(
    relationships.flatMap((one): readonly string[] => {
      if (!('definition' in one) || typeof one.definition !== 'object' || one.definition === null) return [];
      if (!('to_action' in one.definition)) return [];
      const { action, batch } = one.definition.to_action as { readonly action: string; readonly batch?: object | null };
      return batch === undefined || batch === null ? [] : [action];
    }),
  );
}
