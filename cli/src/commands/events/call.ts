/** Reads what a scheduled event calls: a webhook, a saved operation or a function. */
import type { CommandArguments } from '@joinery/metadata/api/arguments';
import { CliError } from '../../cli-error.ts';
import { payloadOf } from './arguments.ts';

export interface CallFlags {
  readonly operation?: string;
  readonly role?: string;
  readonly variables?: string;
  readonly sessionVariable?: readonly string[];
  readonly function?: string;
  readonly arguments?: string;
  readonly header?: readonly string[];
}

/** The arguments of `create_scheduled_event` that name the call. */
type Call = Pick<CommandArguments['create_scheduled_event'], 'webhook' | 'headers' | 'target'>;

/** Throws CliError for options that do not fit together and for invalid values. */
export async function callOf(webhook: string | undefined, flags: CallFlags): Promise<Call> {
  if ([webhook, flags.operation, flags.function].filter((one) => one !== undefined).length !== 1) {
    throw new CliError('give one of a webhook, --operation and --function');
  }
  requireBeside('--operation', flags.operation, [
    ['--role', flags.role],
    ['--variables', flags.variables],
    ['--session-variable', flags.sessionVariable],
  ]);
  requireBeside('--function', flags.function, [['--arguments', flags.arguments]]);
  requireBeside('a webhook', webhook, [['--header', flags.header]]);
  if (flags.operation !== undefined) return { target: { operation: await operationOf(flags.operation, flags) } };
  if (flags.function !== undefined) return { target: { function: await functionOf(flags.function, flags) } };
  return { webhook: webhook ?? '', ...(flags.header && { headers: flags.header.map(headerOf) }) };
}

function requireBeside(called: string, value: unknown, options: readonly (readonly [string, unknown])[]): void {
  if (value !== undefined) return;
  const [first] = options.filter(([, given]) => given !== undefined);
  if (first !== undefined) throw new CliError(`${first[0]} needs ${called}`);
}

async function operationOf(text: string, { role, variables, sessionVariable }: CallFlags) {
  const dot = text.indexOf('.');
  if (dot < 1 || dot === text.length - 1) {
    throw new CliError(`"${text}" is not a saved operation; write COLLECTION.NAME, such as shop.cancel_order`);
  }
  if (role === undefined) throw new CliError('--operation needs --role: the role that runs the operation');
  return {
    collection: text.slice(0, dot),
    name: text.slice(dot + 1),
    role,
    ...(sessionVariable && { session_variables: Object.fromEntries(sessionVariable.map(sessionVariableOf)) }),
    ...(variables !== undefined && { variables: await inputsOf(variables, '--variables') }),
  };
}

async function functionOf(text: string, flags: CallFlags) {
  const parts = /^(?:([^:]+):)?(?:([^:.]+)\.)?([^:.]+)$/.exec(text);
  if (parts === null) {
    throw new CliError(`"${text}" is not a function; write [SOURCE:]SCHEMA.NAME, such as public.close_month`);
  }
  const [, source, schema = 'public', name = ''] = parts;
  return {
    ...(source !== undefined && { source }),
    function: { schema, name },
    ...(flags.arguments !== undefined && { arguments: await inputsOf(flags.arguments, '--arguments') }),
  };
}

/** Returns the object of the inputs, or the text that is a template of the object. */
async function inputsOf(text: string, option: string): Promise<string | Record<string, unknown>> {
  const inputs = await payloadOf(text, option);
  if (typeof inputs === 'string') return inputs;
  if (typeof inputs === 'object' && inputs !== null && !Array.isArray(inputs)) return { ...inputs };
  throw new CliError(`${option} must be a JSON object, such as {"id":"{{$body.payload.id}}"}`);
}

function sessionVariableOf(text: string): readonly [string, string] {
  const sign = text.indexOf('=');
  if (sign < 1) {
    throw new CliError(`"${text}" is not a session variable; write NAME=VALUE, such as x-hasura-user-id=7`);
  }
  return [text.slice(0, sign), text.slice(sign + 1)];
}

function headerOf(text: string): NonNullable<Call['headers']>[number] {
  const colon = text.indexOf(':');
  if (colon < 1)
    throw new CliError(
      `"${text}" is not a header; write "Name: value", or "Name: $VARIABLE" of the service's environment`,
    );
  const [name, value] = [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
  return /^\$\w+$/.test(value) ? { name, value_from_env: value.slice(1) } : { name, value };
}
