/** Prints the inputs of joined actions: text that is built once for a plan, with the values of a key. */
import { ServiceError } from '../../base/errors.ts';
import { ExactNumber, printJson } from '../../base/json-value.ts';
import type { Action, InputNamed, TypeRef } from '../../model/types/action.ts';
import type { RemoteTemplate } from '../../model/types/table.ts';
import type { InputPlan } from '../../plan/plan/input.ts';
import type { ActionTarget } from '../../plan/plan/query.ts';
import { checkedArgument, handlerInput, isUnchecked } from '../action/handler/handler-input.ts';
import type { JoinKeyValue } from './keys.ts';

type Variables = Readonly<Record<string, unknown>>;

/** Returns the JSON text of the input for a key. Throws a ServiceError for a key that does not fit its argument. */
type PrintInput = (key: JoinKeyValue) => string;

/** An argument supplied by the join. */
interface Supplied {
  /** The text up to its value: `{"id":`, `,"language":`. */
  readonly before: string;
  readonly template: RemoteTemplate;
  readonly argument: Action['arguments'][number] | undefined;
  /** Whether its values need defaults or checks. */
  readonly isChecked: boolean;
}

/** What all requests of a plan share. */
interface Prepared {
  readonly supplied: readonly Supplied[];
  /** The checked ones of `supplied`, in the order of the action's arguments. */
  readonly checked: readonly Supplied[];
  /** The call of the other arguments; undefined where the client gives arguments that the join supplies too. */
  readonly others: Parameters<typeof handlerInput>[0] | undefined;
  /** Whether the client gives variables. */
  readonly hasVariables: boolean;
}

const prepared = new WeakMap<ActionTarget, Prepared>();
/** Functions of plans without variables. */
const fixed = new WeakMap<ActionTarget, PrintInput>();

/** Returns the function that prints the inputs of one request: arguments supplied by the join, and those of the client. */
export function inputPrinter(target: ActionTarget, variables: Variables): PrintInput {
  const known = fixed.get(target);
  if (known !== undefined) return known;
  let parts = prepared.get(target);
  if (parts === undefined) {
    parts = prepare(target);
    prepared.set(target, parts);
  }
  const end = endOf(parts, variables);
  if (end === undefined) return (key) => printJson(handlerInput(wholeCall(target, key), variables));
  const print = printerOf(target.action, parts, end);
  if (!parts.hasVariables) fixed.set(target, print);
  return print;
}

function prepare({ action, supplied, given, output }: ActionTarget): Prepared {
  const made = Object.entries(supplied).map(([name, template], index): Supplied => {
    const argument = action.arguments.find((one) => one.name === name);
    const before = `${index === 0 ? '{' : ','}${printJson(name)}:`;
    return { before, template, argument, isChecked: argument !== undefined && !isUnchecked(argument.type) };
  });
  const others = action.arguments.filter(({ name }) => !Object.hasOwn(supplied, name));
  const isMixed = made.length === 0 || given.some(({ name }) => Object.hasOwn(supplied, name));
  return {
    supplied: made,
    checked: action.arguments.flatMap((argument) => {
      return made.filter((one) => one.isChecked && one.argument === argument);
    }),
    others: isMixed ? undefined : { action: { ...action, arguments: others }, input: given, output },
    hasVariables: given.some(({ value }) => readsVariables(value)),
  };
}

function readsVariables(plan: InputPlan): boolean {
  switch (plan.kind) {
    case 'constant':
      return false;
    case 'variable':
      return true;
    case 'list':
      return plan.items.some(readsVariables);
    case 'object':
      return plan.members.some(({ value }) => readsVariables(value));
    default:
      return plan satisfies never;
  }
}

/** Returns the text after the last supplied argument; undefined where every input has to be built and checked as a whole. */
function endOf({ others }: Prepared, variables: Variables): string | undefined {
  if (others === undefined) return undefined;
  try {
    const text = printJson(handlerInput(others, variables));
    return text === '{}' ? '}' : `,${text.slice(1)}`;
  } catch (error) {
    // The order of the arguments determines the error that a key with another error has.
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

function printerOf(action: Action, { supplied, checked }: Prepared, end: string): PrintInput {
  const positions = checked.map((one) => supplied.indexOf(one));
  return (key) => {
    const values = supplied.map(({ template, argument }) => fill(template, key, argument?.type));
    for (const position of positions) {
      const argument = supplied[position]?.argument;
      if (argument !== undefined) values[position] = checkedArgument(action, argument, values[position]);
    }
    let text = '';
    for (let index = 0; index < supplied.length; index += 1) text += supplied[index]?.before + printJson(values[index]);
    return text + end;
  };
}

function wholeCall({ action, supplied, given, output }: ActionTarget, key: JoinKeyValue) {
  const built = Object.entries(supplied).map(([name, template]) => {
    const type = action.arguments.find((argument) => argument.name === name)?.type;
    return { name, value: { kind: 'constant' as const, value: fill(template, key, type) } };
  });
  return { action, input: [...built, ...given], output };
}

function fill(template: RemoteTemplate, key: JoinKeyValue, type: TypeRef<InputNamed> | undefined): unknown {
  const bare = type?.kind === 'nonNull' ? type.of : type;
  switch (template.kind) {
    case 'constant':
      return template.value;
    case 'key':
      return keyFor(key[template.index] ?? null, bare);
    case 'list': {
      const item = bare?.kind === 'list' ? bare.of : bare;
      return template.items.map((one) => fill(one, key, item));
    }
    case 'object': {
      const fields = bare?.kind === 'named' && bare.type.kind === 'input' ? bare.type.fields : undefined;
      const members = Object.entries(template.fields);
      return Object.fromEntries(members.map(([name, one]) => [name, fill(one, key, fields?.get(name)?.type)]));
    }
    default:
      return template satisfies never;
  }
}

/** Converts a numeric key for a text argument. Throws if the key of an `Int` argument is no 32-bit integer. */
function keyFor(value: unknown, type: TypeRef<InputNamed> | undefined): unknown {
  const bare = type?.kind === 'nonNull' ? type.of : type;
  if (Array.isArray(value)) {
    const item = bare?.kind === 'list' ? bare.of : bare;
    return value.map((one: unknown) => keyFor(one, item));
  }
  if (value === null || bare?.kind !== 'named') return value;
  const { name } = bare.type;
  if ((name === 'String' || name === 'ID') && typeof value === 'number') return String(value);
  if ((name === 'String' || name === 'ID') && value instanceof ExactNumber) return value.text;
  if (name === 'Int' && !(typeof value === 'number' && (value | 0) === value)) {
    throw new ServiceError('data-exception', `the key ${printJson(value)} does not fit an argument of type Int`);
  }
  return value;
}
