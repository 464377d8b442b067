/** Updates `actions.graphql` to newer metadata: unchanged definitions keep their text. */

import type { Named, ParsedActions } from '@joinery/metadata/sdl/actions';
import {
  type KeptDirectives,
  type PrintContext,
  printSignature,
  printType,
  type Signature,
} from '@joinery/metadata/sdl/print-actions';
import { type ASTNode, type ConstDirectiveNode, type DefinitionNode, Kind } from 'graphql';
import { isSame } from './objects.ts';
import type { SplitActions } from './split-actions.ts';

/** A range of the text and its replacement. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns the new text. `was` is the old text in the form of an export. */
export function mergeSdl(text: string, sdl: ParsedActions, was: SplitActions, is: SplitActions): string {
  const context = printContext(sdl, is);
  const edits = [...typeEdits(text, sdl, was, is, context), ...actionEdits(text, sdl, was, is, context)];
  const kept = applied(text, edits);
  const blocks = (['query', 'mutation'] as const).flatMap((type) => {
    if (blockOf(sdl, type, is) !== undefined) return [];
    const fields = addedActions(type, was, is).map(([name, signature]) => printSignature(name, signature, context));
    return fields.length === 0 ? [] : [`type ${rootName(type)} {\n${fields.join('\n\n')}\n}`];
  });
  const types = [...is.types].filter(([name]) => !was.types.has(name));
  const added = [...blocks, ...types.map(([, { kind, type }]) => printType(kind, type, context))];
  if (added.length === 0) return kept;
  const before = kept.trim() === '' ? '' : `${kept.trimEnd()}\n\n`;
  return `${before}${added.join('\n\n')}\n`;
}

function typeEdits(
  text: string,
  { definitions }: ParsedActions,
  was: SplitActions,
  is: SplitActions,
  context: PrintContext,
): Edit[] {
  const done = new Set<string>();
  return definitions.flatMap((node): Edit[] => {
    const name = nameOf(node);
    const before = was.types.get(name);
    if (isRoot(node) || before === undefined) return [];
    const after = is.types.get(name);
    if (after !== undefined && isSame(before, after)) return [];
    // A rewritten type includes its extensions.
    if (after === undefined || done.has(name)) return [removal(text, node)];
    done.add(name);
    return [replacement(node, printType(after.kind, after.type, context))];
  });
}

function actionEdits(
  text: string,
  sdl: ParsedActions,
  was: SplitActions,
  is: SplitActions,
  context: PrintContext,
): Edit[] {
  return sdl.definitions.flatMap((node): Edit[] => {
    if (!isRoot(node)) return [];
    const type = nameOf(node) === 'Query' ? 'query' : 'mutation';
    const fields = 'fields' in node ? (node.fields ?? []) : [];
    const stays = (name: string) => is.signatures.get(name)?.type === type;
    const isLast = blockOf(sdl, type, is) === node;
    if (!isLast && !fields.some((field) => stays(field.name.value))) return [removal(text, node)];
    const edits = fields.flatMap((field): Edit[] => {
      const name = field.name.value;
      const after = is.signatures.get(name);
      if (after === undefined || !stays(name)) return [removal(text, field)];
      if (isSame(was.signatures.get(name), after)) return [];
      return [replacement(field, printSignature(name, after, context).trimStart())];
    });
    const added = isLast ? addedActions(type, was, is) : [];
    if (added.length === 0) return edits;
    const end = lastBrace(text, node);
    const written = added.map(([name, signature]) => `${printSignature(name, signature, context)}\n`).join('\n');
    return [...edits, { start: end, end, text: `\n${written}` }];
  });
}

function addedActions(type: string, was: SplitActions, is: SplitActions): readonly (readonly [string, Signature])[] {
  return [...is.signatures].filter(
    ([name, signature]) => signature.type === type && was.signatures.get(name)?.type !== type,
  );
}

/** Returns the block for new actions of the type: the last one that is not removed. */
function blockOf(sdl: ParsedActions, type: string, is: SplitActions): DefinitionNode | undefined {
  return sdl.definitions.findLast(
    (node) =>
      nameOf(node) === rootName(type) &&
      'fields' in node &&
      node.fields?.some((field) => is.signatures.get(field.name.value)?.type === type) === true,
  );
}

function rootName(type: string): string {
  return type === 'query' ? 'Query' : 'Mutation';
}

function isRoot(node: DefinitionNode): boolean {
  return nameOf(node) === 'Query' || nameOf(node) === 'Mutation';
}

function nameOf(node: DefinitionNode): string {
  return 'name' in node ? (node.name?.value ?? '') : '';
}

function replacement({ loc }: ASTNode, text: string): Edit {
  return { start: loc?.start ?? 0, end: loc?.end ?? 0, text };
}

/** Includes the comments directly above and the blank line before them. */
function removal(text: string, { loc }: ASTNode): Edit {
  const [from, to] = [loc?.start ?? 0, loc?.end ?? 0];
  let start = text.lastIndexOf('\n', from - 1) + 1;
  if (text.slice(start, from).trim() !== '') return { start: from, end: to, text: '' };
  for (;;) {
    const above = text.lastIndexOf('\n', start - 2) + 1;
    if (start === 0 || !text.slice(above, start).trim().startsWith('#')) break;
    start = above;
  }
  const lineEnd = text.indexOf('\n', to);
  let end = lineEnd < 0 ? text.length : lineEnd + 1;
  if (text.slice(to, end).trim() !== '' && !text.slice(to, end).trim().startsWith('#')) end = to;
  const blank = /^[ \t]*\n/.exec(text.slice(end));
  if (blank !== null && /\n[ \t]*\n$|^\s*$/.test(text.slice(0, start))) end += blank[0].length;
  return { start, end, text: '' };
}

function lastBrace(text: string, { loc }: ASTNode): number {
  return text.lastIndexOf('}', loc?.end ?? text.length);
}

function applied(text: string, edits: readonly Edit[]): string {
  const ordered = [...edits].sort((one, other) => other.start - one.start);
  return ordered.reduce(
    (current, { start, end, text: own }) => current.slice(0, start) + own + current.slice(end),
    text,
  );
}

function printContext(sdl: ParsedActions, is: SplitActions): PrintContext {
  const enums = new Set<string>();
  const inputs = new Map<string, readonly Named[]>();
  for (const [name, { kind, type }] of is.types) {
    if (kind === 'enums') enums.add(name);
    if (kind === 'input_objects') inputs.set(name, type.fields as readonly Named[]);
  }
  return { enums, inputs, kept: keptDirectives(sdl) };
}

interface Directed {
  readonly name?: { readonly value: string } | undefined;
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
  readonly fields?: readonly Directed[] | undefined;
  readonly arguments?: readonly unknown[] | undefined;
  readonly values?: readonly Directed[] | undefined;
}

function keptDirectives({ definitions }: ParsedActions): KeptDirectives {
  const kept = new Map<string, readonly ConstDirectiveNode[]>();
  const visit = (node: Directed, within: string): void => {
    const path = `${within}${node.name?.value ?? ''}`;
    const own = (node.directives ?? []).filter(({ name }) => name.value !== 'deprecated');
    if (own.length > 0) kept.set(path, [...(kept.get(path) ?? []), ...own]);
    // Actions are matched by name, wherever they are.
    const prefix = path === 'Query' || path === 'Mutation' ? '' : `${path}.`;
    for (const part of [...(node.fields ?? []), ...(node.values ?? []), ...(node.arguments ?? [])]) {
      visit(part as Directed, prefix);
    }
  };
  for (const node of definitions) if (node.kind !== Kind.DIRECTIVE_DEFINITION) visit(node as Directed, '');
  return kept;
}
