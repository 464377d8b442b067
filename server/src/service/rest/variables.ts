/** Reads the variables of a stored operation from a REST request. */
import { ServiceError } from '../../base/errors.ts';
import { parseJson } from '../../base/json-value.ts';
import type { StoredVariable } from '../../plan/document/stored.ts';

export interface RestValues {
  /** Segments of the path by the names of their variables. */
  readonly path: ReadonlyMap<string, string>;
  /** Values of the query string by name. */
  readonly query: ReadonlyMap<string, readonly string[]>;
  /** Members of the JSON body, or values of a form. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether the body is a form, whose values are strings like those of a URL. */
  readonly form: boolean;
}

/**
 * The path takes precedence over the body, and that over the query string. Throws `bad-request` for a value of an undeclared
 * variable; names that no variable can have are ignored.
 */
export function variablesFrom(
  declared: readonly StoredVariable[],
  { path, query, body, form }: RestValues,
): Readonly<Record<string, unknown>> {
  const known = new Set(declared.map(({ name }) => name));
  for (const name of [...path.keys(), ...query.keys(), ...Object.keys(body)]) {
    if (known.has(name) || !/^[_A-Za-z][_0-9A-Za-z]*$/.test(name)) continue;
    throw new ServiceError('bad-request', `Unexpected variable ${name}`);
  }
  const values: Record<string, unknown> = {};
  for (const variable of declared) {
    const { name } = variable;
    const inPath = path.get(name);
    if (inPath === undefined && Object.hasOwn(body, name)) {
      put(values, name, form ? fromForm(variable, body[name]) : body[name]);
      continue;
    }
    const texts = inPath === undefined ? query.get(name) : [inPath];
    if (texts !== undefined) put(values, name, fromTexts(variable, texts));
  }
  return values;
}

function put(values: Record<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined && name !== '__proto__') values[name] = value;
}

function fromForm(variable: StoredVariable, value: unknown): unknown {
  return fromTexts(variable, (Array.isArray(value) ? value : [value]).map(String));
}

/** Reads a list given as JSON, as an array of PostgreSQL (`{1,2}`) for an array column, or by repeating its name. */
function fromTexts(variable: StoredVariable, texts: readonly string[]): unknown {
  const [first = ''] = texts;
  if (!variable.list) {
    if (texts.length > 1) throw wrong(variable, 'is given more than once, and takes one value');
    return fromText(variable, first);
  }
  if (texts.length === 1 && first.trimStart().startsWith('[')) return json(variable, first);
  // Whether it is an array depends on where the operation uses the variable.
  if (texts.length === 1 && variable.form !== 'json' && /^\s*\{[\s\S]*\}\s*$/.test(first)) return first;
  return texts.map((text) => fromText(variable, text));
}

function fromText(variable: StoredVariable, text: string): unknown {
  // An empty text is no value, except of a flag.
  if (text === '' && variable.form !== 'boolean' && !variable.list && !variable.type.endsWith('!')) return undefined;
  switch (variable.form) {
    case 'text':
      return text;
    case 'boolean':
      // A name without a value is a flag.
      if (text === '' || text === 'true') return true;
      if (text === 'false') return false;
      throw wrong(variable, 'must be true or false');
    case 'number':
      if (text === '') return undefined;
      return json(variable, text);
    case 'json':
      return json(variable, text);
    default:
      return variable.form satisfies never;
  }
}

function json(variable: StoredVariable, text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw wrong(variable, 'must be JSON');
  }
}

function wrong({ name, type }: StoredVariable, problem: string): ServiceError {
  return new ServiceError('validation-failed', `variable "${name}" of type ${type} ${problem}`, {
    path: `$.variables.${name}`,
  });
}
