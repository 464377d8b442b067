/** Encodes JSON values as the text that PostgreSQL parses for a type. */
import { ServiceError } from '../../base/errors.ts';
import { ExactNumber, isJsonObject, kindAndNumber, parseJson, printJson } from '../../base/json-value.ts';
import { encodeParameter } from '../../postgres/sql/parameters.ts';
import type { ColumnType } from '../types/column-type.ts';
import { builtInTypes, textType } from './column-types.ts';
import { wellKnownText } from './geojson.ts';
import { hstoreForm, hstoreText } from './hstore.ts';

/**
 * Returns the text parameter for a cast to `type`, which may be the name of a scalar such as `uuid`. Null is null.
 * json and jsonb: any JSON value, as its text. Arrays: a list becomes a list of encoded elements, at any depth, which
 * the driver writes as a Postgres array; a string is Postgres array text. geometry and geography: GeoJSON becomes
 * extended well-known text, a string is unchanged. hstore: an object of strings. All digits of numbers are preserved. Throws
 * ServiceError with a path from `$` into the value: `parse-failed` for JSON of the wrong kind, `data-exception` for text that
 * PostgreSQL does not read or store.
 */
export function encode(type: ColumnType | string, value: unknown): unknown {
  if (typeof type === 'string') return encode(builtInTypes.get(type) ?? { ...textType, family: 'other' }, value);
  if (value === null || value === undefined) return null;
  switch (type.family) {
    case 'json':
    case 'jsonb':
      return sound(printJson(value));
    case 'array':
      return encodeArray(type, value);
    case 'boolean':
      if (typeof value === 'boolean') return String(value);
      return readable(type, value, /^\s*(?:t|tr|tru|true|f|fa|fal|fals|false|y|ye|yes|n|no|on|off?|1|0)\s*$/i);
    case 'number':
      return encodeNumber(type, value);
    case 'uuid':
      return readable(type, value, /^\s*\{?(?:[0-9a-f]-?){31}[0-9a-f]\}?\s*$/i);
    case 'raster':
      return matching(type, value, /^(?:[0-9a-f]{2})+$/i);
    case 'ltree':
      return matching(type, value, /^(?:[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*)?$/u);
    case 'hstore':
      return isJsonObject(value) ? sound(hstoreText(value)) : readable(type, value, hstoreForm);
    case 'enum':
      return encodeLabel(type, value);
    case 'geometry':
    case 'geography':
      return encodeShape(type, value);
    default:
      return textOf(type, value);
  }
}

/**
 * Encodes the text of a session variable. A list may be JSON (`[1,2]`) or array text (`{1,2}`), an hstore an object, a
 * geometry GeoJSON; other types take the text unchanged.
 */
export function encodeSession(type: ColumnType, text: string): unknown {
  const asJson =
    (type.family === 'array' && /^\s*\[(?!\d+:)/.test(text)) ||
    (type.family === 'hstore' && /^\s*\{\s*["}]/.test(text)) ||
    ((type.family === 'geometry' || type.family === 'geography') && /^\s*\{/.test(text));
  if (!asJson) return type.family === 'hstore' ? encode(type, text) : sound(text);
  try {
    return encode(type, parseJson(text));
  } catch (error) {
    if (error instanceof SyntaxError) throw unfit(type, 'a session variable that is not valid JSON');
    throw error;
  }
}

function textOf(type: ColumnType, value: unknown): string {
  if (typeof value === 'string') return sound(value);
  throw unfit(type, kindAndNumber(value));
}

/** NUL cannot be stored at all; half of a surrogate pair would be stored as something else. */
function sound(text: string): string {
  if (text.includes('\0')) throw new ServiceError('data-exception', 'the character NUL cannot be stored in PostgreSQL');
  if (/\p{Surrogate}/u.test(text)) {
    throw new ServiceError('data-exception', 'the text holds half of a surrogate pair, which is no character');
  }
  return text;
}

function matching(type: ColumnType, value: unknown, form: Pick<RegExp, 'test'>): string {
  const text = textOf(type, value);
  if (form.test(text)) return text;
  throw unfit(type, JSON.stringify(shortened(text)));
}

/**
 * A string for a type whose text has `form`, which is at least what every version of PostgreSQL reads. Others are rejected
 * here, with the error of PostgreSQL, because the error of a statement has no path to the value.
 */
function readable(type: ColumnType, value: unknown, form: Pick<RegExp, 'test'>): string {
  const text = textOf(type, value);
  if (form.test(text)) return text;
  // PostgreSQL reports a syntax error without details.
  if (type.family === 'hstore')
    throw new ServiceError('data-exception', unfit(type, JSON.stringify(shortened(text))).message);
  const name = longNames[type.name] ?? type.name;
  throw new ServiceError('data-exception', `invalid input syntax for type ${name}: ${JSON.stringify(shortened(text))}`);
}

/** Names of types as PostgreSQL writes them in errors. */
const longNames: Readonly<Record<string, string>> = {
  bool: 'boolean',
  int2: 'smallint',
  int4: 'integer',
  int8: 'bigint',
  float4: 'real',
  float8: 'double precision',
};

const whole = /^\s*[+-]?(?:\d+(?:_\d+)*|0x[\da-f_]+|0o[0-7_]+|0b[01_]+)\s*$/i;
/** Each character can be matched in one way only, so that a text of megabytes is tested in linear time. */
const decimal =
  /^\s*[+-]?(?:(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:e[+-]?\d+)?|0[xob][\da-f_.p+-]+|inf(?:inity)?|nan)\s*$/i;

function encodeNumber(type: ColumnType, value: unknown): string {
  const text = value instanceof ExactNumber ? value.text : typeof value === 'number' ? String(value) : value;
  if (type.name === 'money') return textOf(type, text);
  const form = /^int\d$/.test(type.name) ? whole : decimal;
  if (typeof value === 'string') return readable(type, value, form);
  if (typeof text !== 'string') throw unfit(type, kindAndNumber(value));
  if (form === decimal) return text;
  // 1e3 is an integer in JSON, 1.5 is not.
  const digits = whole.test(text) ? text : wholeOf(type, text);
  // No integer type has more digits; a long text would take long to convert.
  const number = digits.length > 20 ? undefined : BigInt(digits);
  if (number !== undefined && BigInt.asIntN(8 * Number(type.name.slice(3)), number) === number) return digits;
  throw unfit(type, `${shortened(digits)}, which is out of range`);
}

/** The digits of a number that is an integer despite a fraction or an exponent: `1.0e20`. */
function wholeOf(type: ColumnType, text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text);
  if (match === null) throw unfit(type, shortened(text));
  const [, sign = '', integer = '', fraction = '', exponent = '0'] = match;
  const digits = integer + fraction;
  const shift = Number(exponent) - fraction.length;
  // Exceeds every integer type.
  if (Math.abs(shift) > 1000) throw unfit(type, shortened(text));
  if (shift >= 0) return sign + digits + '0'.repeat(shift);
  if (!/^0*$/.test(digits.slice(shift))) throw unfit(type, shortened(text));
  return sign + (digits.slice(0, shift) || '0');
}

function encodeLabel(type: ColumnType, value: unknown): string {
  const text = textOf(type, value);
  if (type.labels.length === 0 || type.labels.includes(text)) return text;
  const known = type.labels.map((label) => JSON.stringify(label)).join(', ');
  throw new ServiceError(
    'data-exception',
    `${JSON.stringify(shortened(text))} is no value of the enum type ${type.name}; it has ${known}`,
  );
}

function encodeShape(type: ColumnType, value: unknown): string {
  if (typeof value === 'string') return sound(value);
  const text = wellKnownText(value);
  if (text === undefined) throw unfit(type, `${kindAndNumber(value)} that is not a GeoJSON geometry`);
  return text;
}

/** In an array of json a nested list is a JSON value, not a dimension. */
function encodeArray(type: ColumnType, value: unknown): unknown {
  if (typeof value === 'string') return arrayText(sound(value));
  if (!Array.isArray(value)) throw unfit(type, kindAndNumber(value));
  const element = type.element ?? textType;
  const nests = element.family !== 'json' && element.family !== 'jsonb' && element.family !== 'array';
  return value.map((item: unknown, index) => {
    try {
      if (nests && Array.isArray(item)) return encodeArray(type, item);
      const encoded = encode(element, item);
      return element.family === 'array' ? encodeParameter(encoded) : encoded;
    } catch (error) {
      throw error instanceof ServiceError ? error.under(`$[${index}]`) : error;
    }
  });
}

/** Checks that a string has the form of an array, such as `{a,b}`. Throws `data-exception`, as PostgreSQL does. */
export function arrayText(text: string): string {
  if (/^\s*(?:\{[\s\S]*\}|\[[+-]?\d+:[\s\S]*\})\s*$/.test(text)) return text;
  throw new ServiceError('data-exception', `malformed array literal: ${JSON.stringify(shortened(text))}`);
}

function unfit(type: ColumnType, found: string): ServiceError {
  const name = type.element === undefined ? type.name : `${type.element.name}[]`;
  return new ServiceError('parse-failed', `expected ${expected(type)} for type ${name}, but found ${found}`);
}

function expected({ family, name }: ColumnType): string {
  switch (family) {
    case 'number':
      return /^int\d$/.test(name) ? 'a whole number' : 'a number';
    case 'boolean':
      return 'true or false';
    case 'uuid':
      return 'a string of 32 hexadecimal digits';
    case 'array':
      return 'a list';
    case 'raster':
      return 'well-known binary in hexadecimal digits';
    case 'ltree':
      return 'labels with dots between them, such as "L1.L2.L3",';
    case 'hstore':
      return 'an object of strings, or a string such as "a=>1",';
    case 'geometry':
    case 'geography':
      return 'a GeoJSON geometry';
    default:
      return 'a string';
  }
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
