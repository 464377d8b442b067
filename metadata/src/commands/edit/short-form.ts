/** Arguments with a short form: the name of a table or function alone, in place of an object that has it as a member. */
import type { z } from 'zod';
import { isJsonObject } from '../../json.ts';
import { QualifiedTable } from '../../names.ts';
import { parseArguments } from './arguments.ts';
import { nearestName } from './nearest-name.ts';

const ofShortForm = ['schema', 'name'];

/**
 * Parses arguments of `schema`, or a name that is its member `member`. An object is a name if each of its members is `schema`
 * or `name`, or more similar to these than to those of `schema`. Throws EditError `parse-failed`.
 */
export function parseWithShortForm<Output>(
  schema: z.ZodType<Output> & { readonly shape: Readonly<Record<string, z.ZodType>> },
  member: 'table' | 'function',
  input: unknown,
): Output {
  if (!isShortForm(input, Object.keys(schema.shape))) return parseArguments(schema, input);
  return schema.parse({ [member]: parseArguments(QualifiedTable, input) });
}

function isShortForm(input: unknown, known: readonly string[]): boolean {
  if (!isJsonObject(input)) return true;
  const members = Object.keys(input);
  const isOfShortForm = (name: string): boolean =>
    !known.includes(name) && ofShortForm.includes(nearestName(name, [...ofShortForm, ...known]) ?? name);
  return members.length > 0 && members.every(isOfShortForm);
}
