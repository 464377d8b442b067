/** Processes the response of a remote schema: maps type names, registers joins and removes their keys. */
import { type GraphQLInputType, getNullableType, isEnumType, isListType } from 'graphql';
import { ServiceError } from '../../base/errors.ts';
import type { JoinPlan } from '../../plan/plan/query.ts';
import type { RemoteMember, SessionValue } from '../../plan/plan/remote.ts';
import type { OnJoin } from '../action/check-output.ts';
import type { ExecuteContext } from '../context/context.ts';

type Row = Record<string, unknown>;

/** Processes an object, nested lists of objects, or null, in place. */
export function applyMembers(members: readonly RemoteMember<JoinPlan>[], value: unknown, onJoin: OnJoin): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) applyMembers(members, item, onJoin);
    return;
  }
  const row = value as Row;
  for (const member of members) {
    // The object has another type than the fragment.
    if (!Object.hasOwn(row, member.alias)) continue;
    switch (member.kind) {
      case 'typename': {
        const name = row[member.alias];
        if (typeof name === 'string') row[member.alias] = member.names.get(name) ?? name;
        break;
      }
      case 'object':
        applyMembers(member.members, row[member.alias], onJoin);
        break;
      case 'join':
        // Another type can have a field or a join with the same response key.
        if (row[member.alias] !== member.type) break;
        onJoin(
          member.join,
          row,
          member.alias,
          member.join.keys.map(({ name }) => row[name]),
        );
        break;
      case 'phantom':
        break;
      default:
        member satisfies never;
    }
  }
  // Removed last, since a phantom can be the key of several joins.
  for (const { kind, alias } of members) if (kind === 'phantom') delete row[alias];
}

/**
 * Adds session variables to the variables of the request. Throws `not-found` for a missing session variable, and
 * `coercion-error` for one that is no value of the type.
 */
export function withSession(
  values: readonly SessionValue[],
  { variables, session }: ExecuteContext,
): ExecuteContext['variables'] {
  if (values.length === 0) return variables;
  const filled = values.map(({ variable, name, type }): [string, unknown] => {
    const text = session.variables.get(name);
    if (text === undefined) throw new ServiceError('not-found', `missing session variable: "${name}"`, { status: 400 });
    return [variable, inputOf(text, type, name)];
  });
  return { ...variables, ...Object.fromEntries(filled) };
}

/** Converts a session variable to a value of the remote schema's type. A list is written as JSON or as `{1,2}`. */
function inputOf(text: string, type: GraphQLInputType, name: string): unknown {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const items = text.startsWith('{') ? text.slice(1, -1).split(',') : jsonList(text);
    return items.map((one) => (typeof one === 'string' ? inputOf(one.trim(), nullable.ofType, name) : one));
  }
  const value = parsedText(text, nullable);
  if (value !== undefined) return value;
  throw new ServiceError('coercion-error', `session variable "${name}" is not a value of type ${nullable}`);
}

/** Returns undefined if the text is no value of the type. */
function parsedText(text: string, type: GraphQLInputType): unknown {
  if (isEnumType(type)) return type.getValue(text) === undefined ? undefined : text;
  switch (String(type)) {
    case 'Int':
    case 'Float': {
      const number = Number(text);
      const fits = String(type) === 'Int' ? Number.isInteger(number) : Number.isFinite(number);
      return text.trim() !== '' && fits ? number : undefined;
    }
    case 'Boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    default:
      return text;
  }
}

function jsonList(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  } catch {
    return [text];
  }
}
