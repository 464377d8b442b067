/** Formats generated TypeScript in the default style of Prettier, and chooses its names. */

const width = 80;

/** Reserved names of TypeScript, and names that the generated code uses. */
const reserved: ReadonlySet<string> = new Set(
  [
    'any bigint boolean never null number object string symbol undefined unknown void infer keyof readonly unique is',
    'break case catch class const continue debugger default delete do else enum export extends false finally for function',
    'if import in instanceof new return super switch this throw true try typeof var while with as async await let static',
    'yield implements interface package private protected public arguments eval type abstract declare global',
    'Promise Error Map Object JSON Number Buffer Request Response IncomingMessage SessionVariables Refused Answer Handler',
    'express app server handlers answer read process createServer refused types',
  ]
    .join(' ')
    .split(' '),
);

/** Returns unique names, with a number appended to a name in use. */
export class Names {
  readonly #taken: Set<string>;
  readonly #fold: (name: string) => string;

  /** `fold` maps names that must not occur together to the same string. */
  constructor(fold: (name: string) => string = (name) => name) {
    this.#fold = fold;
    this.#taken = new Set([...reserved].map(fold));
  }

  take(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#taken.has(this.#fold(name)); number += 1) name = `${wanted}${number}`;
    this.#taken.add(this.#fold(name));
    return name;
  }
}

/** Converts `placeOrder` and `place_order` to `PlaceOrder`. */
export function pascal(name: string): string {
  const parts = name.split('_').filter((part) => part !== '');
  return parts.map((part) => part.slice(0, 1).toUpperCase() + part.slice(1)).join('') || '_';
}

/** Returns a doc comment; an empty string without lines. */
export function comment(texts: readonly (string | undefined)[], indent = ''): string {
  const given = texts.filter((text) => text !== undefined && text.trim() !== '').join('\n');
  if (given === '') return '';
  const lines = given
    .replaceAll('*/', '* /')
    .split(/\r?\n/)
    .map((line) => line.trimEnd());
  const [line = ''] = lines;
  if (lines.length === 1 && indent.length + line.length + 7 <= width) return `${indent}/** ${line} */\n`;
  return `${indent}/**\n${lines.map((each) => `${indent} * ${each}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

/** Returns `export type Name = A | B;`, with one member on a line if it is long. */
export function typeAlias(name: string, members: readonly string[]): string {
  const line = `export type ${name} = ${members.join(' | ')};`;
  if (line.length <= width) return `${line}\n`;
  const [only] = members;
  if (members.length === 1) return `export type ${name} =\n  ${only};\n`;
  return `export type ${name} =\n${members.map((member) => `  | ${member}`).join('\n')};\n`;
}

/** Returns `  name?: A | null;`. */
export function property(name: string, members: readonly string[]): string {
  const line = `  ${name}: ${members.join(' | ')};`;
  if (line.length <= width || members.length === 1) return `${line}\n`;
  return `  ${name}:\n${members.map((member) => `    | ${member}`).join('\n')};\n`;
}

/** Returns `open(a, b)close`, with one item on a line if it is long. `pad` is inserted inside of braces. */
export function wrapped(open: string, items: readonly string[], close: string, indent = '', pad = ''): string {
  const line = `${indent}${open}${pad}${items.join(', ')}${pad}${close}`;
  if (line.length <= width) return `${line}\n`;
  return `${indent}${open}\n${items.map((item) => `${indent}  ${item},\n`).join('')}${indent}${close}\n`;
}

/** Returns `import { A, B } from "./file.js";`. */
export function importOf(keyword: 'import' | 'import type', names: readonly string[], from: string): string {
  if (names.length === 1) return `${keyword} { ${names.join()} } from "${from}";\n`;
  return wrapped(`${keyword} {`, names, `} from "${from}";`, '', ' ');
}

/** Returns `export async function name(parameter): Promise<response> {`. */
export function signature(begin: string, name: string, parameter: string, response: readonly string[]): string {
  return wrapped(`${begin} ${name}(`, [parameter], `): Promise<${response.join(' | ')}> {`);
}
