/** How generated TypeScript is laid out, as Prettier does by default, and what names it uses. */

const width = 80;

/** Names that TypeScript keeps for itself, and those that the generated code needs with their usual meaning. */
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

/** Gives each name once; one that is taken gets a number. */
export class Names {
  readonly #taken: Set<string>;
  readonly #fold: (name: string) => string;

  /** `fold` makes equal what may not stand beside each other. */
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

/** `placeOrder` and `place_order` begin a type name as `PlaceOrder`. */
export function pascal(name: string): string {
  const parts = name.split('_').filter((part) => part !== '');
  return parts.map((part) => part.slice(0, 1).toUpperCase() + part.slice(1)).join('') || '_';
}

/** A doc comment in front of what it describes; nothing for no lines. */
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

/** `export type Name = A | B;`, a member a line where it is long. */
export function typeAlias(name: string, members: readonly string[]): string {
  const line = `export type ${name} = ${members.join(' | ')};`;
  if (line.length <= width) return `${line}\n`;
  const [only] = members;
  if (members.length === 1) return `export type ${name} =\n  ${only};\n`;
  return `export type ${name} =\n${members.map((member) => `  | ${member}`).join('\n')};\n`;
}

/** `  name?: A | null;` */
export function property(name: string, members: readonly string[]): string {
  const line = `  ${name}: ${members.join(' | ')};`;
  if (line.length <= width || members.length === 1) return `${line}\n`;
  return `  ${name}:\n${members.map((member) => `    | ${member}`).join('\n')};\n`;
}

/** `open(a, b)close`, an item a line where it is long. `pad` goes inside of braces. */
export function wrapped(open: string, items: readonly string[], close: string, indent = '', pad = ''): string {
  const line = `${indent}${open}${pad}${items.join(', ')}${pad}${close}`;
  if (line.length <= width) return `${line}\n`;
  return `${indent}${open}\n${items.map((item) => `${indent}  ${item},\n`).join('')}${indent}${close}\n`;
}

/** `import { A, B } from "./file.js";` */
export function importOf(keyword: 'import' | 'import type', names: readonly string[], from: string): string {
  if (names.length === 1) return `${keyword} { ${names.join()} } from "${from}";\n`;
  return wrapped(`${keyword} {`, names, `} from "${from}";`, '', ' ');
}

/** `export async function name(parameter): Promise<response> {` */
export function signature(begin: string, name: string, parameter: string, response: readonly string[]): string {
  return wrapped(`${begin} ${name}(`, [parameter], `): Promise<${response.join(' | ')}> {`);
}
