/** Processes the response of a remote schema: maps type names, registers joins and removes their keys. */
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

/** Adds session variables to the variables of the request. Throws `not-found` for a missing session variable. */
export function withSession(
  values: readonly SessionValue[],
  { variables, session }: ExecuteContext,
): ExecuteContext['variables'] {
  if (values.length === 0) return variables;
  const filled = values.map(({ variable, name, type }): [string, unknown] => {
    const text = session.variables.get(name);
    if (text === undefined) throw new ServiceError('not-found', `missing session variable: "${name}"`, { status: 400 });
    return [variable, inputOf(text, String(type))];
  });
  return { ...variables, ...Object.fromEntries(filled) };
}

/** Converts a session variable to a value of the remote schema's type. A list is written as JSON or as `{1,2}`. */
function inputOf(text: string, type: string): unknown {
  const bare = type.replace(/!$/, '');
  if (bare.startsWith('[')) {
    const item = bare.slice(1, -1);
    const items = text.startsWith('{') ? text.slice(1, -1).split(',') : jsonList(text);
    return items.map((one) => (typeof one === 'string' ? inputOf(one.trim(), item) : one));
  }
  switch (bare) {
    case 'Int':
    case 'Float': {
      const number = Number(text);
      return text.trim() === '' || Number.isNaN(number) ? text : number;
    }
    case 'Boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
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
