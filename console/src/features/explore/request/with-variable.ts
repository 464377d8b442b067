/** Adds a variable to the JSON text of the variables. Pure. */
import { parseExactly, printPretty } from '../../../api/exact-json.ts';
import { isJsonObject } from '../../../api/json.ts';

/** Returns the text unchanged while it is not a JSON object. */
export function withVariable(text: string, name: string, value: unknown): string {
  if (text.trim() === '') return printPretty({ [name]: value });
  try {
    const variables = parseExactly(text);
    return isJsonObject(variables) ? printPretty({ ...variables, [name]: value }) : text;
  } catch {
    return text;
  }
}
