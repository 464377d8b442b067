/** Validates what a form sends by a schema of the metadata. Pure. */
import { validationErrors } from '@joinery/metadata/commands/edit/arguments';
import { jsonProblem } from '../../../api/exact-json.ts';
import { sentence } from '../../format.ts';

type Schema = Parameters<typeof validationErrors>[0];

export interface FieldOptions {
  /** Returns the field that writes a member, such as `definition.timeout_seconds`. Undefined when there is none. */
  readonly fieldOf: (member: string) => string | undefined;
  /** Messages that replace those of the schema, by field. */
  readonly messages?: Readonly<Record<string, string>>;
}

/**
 * Returns the first message of each field. Errors of members without a field are left to the service, which validates
 * the command again.
 */
export function schemaErrors(schema: Schema, sent: unknown, options: FieldOptions): Record<string, string> {
  const { fieldOf, messages = {} } = options;
  const errors: Record<string, string> = {};
  for (const { path, message } of validationErrors(schema, sent)) {
    const field = fieldOf(memberAt(path));
    if (field !== undefined) errors[field] ??= messages[field] ?? sentence(message);
  }
  return errors;
}

/** Returns the first error of a JSON text, with its place. Undefined when the text is valid. */
export function jsonTextError(schema: Schema, text: string): string | undefined {
  const problem = jsonProblem(text);
  if (problem !== undefined) return sentence(problem);
  const [first] = validationErrors(schema, JSON.parse(text));
  if (first === undefined) return undefined;
  const member = memberAt(first.path);
  return sentence(member === '' ? first.message : `${first.message} (${member})`);
}

/** Returns `fieldOf` of the fields by member: a member belongs to the field of the longest prefix of its path. */
export function byMember(fields: Readonly<Record<string, string>>): FieldOptions['fieldOf'] {
  const prefixes = Object.keys(fields).sort((one, other) => other.length - one.length);
  return (member) => {
    const prefix = prefixes.find(
      (one) => member === one || (member.startsWith(one) && /[.[]/.test(member.charAt(one.length))),
    );
    return prefix === undefined ? undefined : fields[prefix];
  };
}

/** Returns `headers[0].value` of `$.args.headers[0].value` and of `$.headers[0].value`. */
export function memberAt(path: string): string {
  return path.replace(/^\$(\.args(?=[.[]|$))?\.?/, '');
}

/** The number in a text, or the text when it is not a number, which a schema rejects. */
export function numberIn(text: string): number | string {
  const number = Number(text.trim());
  return text.trim() === '' || Number.isNaN(number) ? text : number;
}
