/** Edits of the text of an operation that keep its comments, formatting and directives. Pure. */
import {
  type ArgumentNode,
  type ASTNode,
  type FieldNode,
  type ListValueNode,
  type ObjectFieldNode,
  type ObjectValueNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type Token,
  TokenKind,
} from 'graphql';

/** Replaces the text from `from` to before `to`. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Applies edits that do not overlap. */
export function applied(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((one, other) => other.from - one.from)
    .reduce((changed, { from, to, insert }) => changed.slice(0, from) + insert + changed.slice(to), text);
}

const STEP = '  ';

/** Adds a selection to the end of a set. */
export function addSelection(text: string, set: SelectionSetNode, source: string): Edit {
  const { start, end } = rangeOf(set);
  const brace = end - 1;
  const last = set.selections.at(-1);
  const lineStart = text.lastIndexOf('\n', brace - 1) + 1;
  const isMultiline = text.slice(start, end).includes('\n');
  if (isMultiline && text.slice(lineStart, brace).trim() === '') {
    const indent = indentAt(text, brace) + STEP;
    return { from: lineStart, to: lineStart, insert: `${indented(source, indent)}\n` };
  }
  const at = last === undefined ? start + 1 : rangeOf(last).end;
  return { from: at, to: at, insert: ` ${onOneLine(source)}` };
}

/** Adds the first selection to a field. */
export function addSelectionSet(text: string, field: FieldNode, source: string): Edit {
  const { start, end } = rangeOf(field);
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const isAlone = text.slice(lineStart, start).trim() === '';
  if (!isAlone) return { from: end, to: end, insert: ` { ${onOneLine(source)} }` };
  const indent = indentAt(text, start);
  return { from: end, to: end, insert: ` {\n${indented(source, indent + STEP)}\n${indent}}` };
}

/** A selection with its ancestors, the nearest first. The last set is that of the operation or fragment. */
export interface Selected {
  readonly node: SelectionNode;
  readonly set: SelectionSetNode;
  readonly parent: Selected | undefined;
}

/** Removes a selection, and each ancestor that would become empty. An operation keeps `__typename`. */
export function removeSelection(text: string, { node, set, parent }: Selected): Edit {
  if (set.selections.length > 1) return lineEdit(text, rangeOf(node));
  if (parent !== undefined) return removeSelection(text, parent);
  const { start, end } = rangeOf(node);
  return { from: start, to: end, insert: '__typename' };
}

/** Removes whole lines where nothing else is on them, else the text with the space before it. */
function lineEdit(text: string, { start, end }: Range): Edit {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const nextLine = text.indexOf('\n', end);
  const lineEnd = nextLine === -1 ? text.length : nextLine;
  if (text.slice(lineStart, start).trim() === '' && text.slice(end, lineEnd).trim() === '') {
    return { from: lineStart, to: Math.min(lineEnd + 1, text.length), insert: '' };
  }
  const before = text.slice(0, start).replace(/[ \t,]+$/, '').length;
  return { from: before, to: end, insert: '' };
}

/** Adds an argument to a field. */
export function addArgument(field: FieldNode, source: string): Edit {
  const last = field.arguments?.at(-1);
  const at = last === undefined ? rangeOf(field.name).end : rangeOf(last).end;
  return { from: at, to: at, insert: last === undefined ? `(${source})` : `, ${source}` };
}

/** Removes an argument, with the parentheses if it is the only one. */
export function removeArgument(field: FieldNode, argument: ArgumentNode): Edit {
  const all = field.arguments ?? [];
  if (all.length > 1) return removeItem(all, argument);
  const { end } = rangeOf(argument);
  const close = argument.loc === undefined ? undefined : following(argument.loc.endToken, TokenKind.PAREN_R);
  return { from: rangeOf(field.name).end, to: close?.end ?? end, insert: '' };
}

/** Adds the definition of a variable to an operation. */
export function addVariable(operation: OperationDefinitionNode, source: string): Edit {
  const { name, variableDefinitions, selectionSet, loc } = operation;
  const last = variableDefinitions?.at(-1);
  if (last !== undefined) return { from: rangeOf(last).end, to: rangeOf(last).end, insert: `, ${source}` };
  if (name !== undefined) return { from: rangeOf(name).end, to: rangeOf(name).end, insert: `(${source})` };
  const { start } = rangeOf(operation);
  if (start === rangeOf(selectionSet).start)
    return { from: start, to: start, insert: `${operation.operation} (${source}) ` };
  const end = loc?.startToken.end ?? start;
  return { from: end, to: end, insert: ` (${source})` };
}

export function addObjectField(object: ObjectValueNode, source: string): Edit {
  const last = object.fields.at(-1);
  const at = last === undefined ? rangeOf(object).start + 1 : rangeOf(last).end;
  return { from: at, to: at, insert: last === undefined ? source : `, ${source}` };
}

export function removeObjectField(object: ObjectValueNode, field: ObjectFieldNode): Edit {
  return object.fields.length > 1 ? removeItem(object.fields, field) : { ...between(object), insert: '' };
}

export function addListItem(list: ListValueNode, source: string): Edit {
  const last = list.values.at(-1);
  const at = last === undefined ? rangeOf(list).start + 1 : rangeOf(last).end;
  return { from: at, to: at, insert: last === undefined ? source : `, ${source}` };
}

export function removeListItem(list: ListValueNode, index: number): Edit {
  const item = list.values[index];
  return item !== undefined && list.values.length > 1
    ? removeItem(list.values, item)
    : { ...between(list), insert: '' };
}

export function replaceNode(node: ASTNode, insert: string): Edit {
  const { start, end } = rangeOf(node);
  return { from: start, to: end, insert };
}

/** Removes one of several nodes with the comma or space that separates it. */
function removeItem(nodes: readonly ASTNode[], node: ASTNode): Edit {
  const index = nodes.indexOf(node);
  const { start, end } = rangeOf(node);
  const next = nodes[index + 1];
  const previous = nodes[index - 1];
  if (next !== undefined) return { from: start, to: rangeOf(next).start, insert: '' };
  return { from: previous === undefined ? start : rangeOf(previous).end, to: end, insert: '' };
}

/** The text between the brackets of a node. */
function between(node: ASTNode): { readonly from: number; readonly to: number } {
  const { start, end } = rangeOf(node);
  return { from: start + 1, to: end - 1 };
}

function following(token: Token, kind: TokenKind): Token | undefined {
  for (let next = token.next; next !== null; next = next.next) if (next.kind === kind) return next;
  return undefined;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

export function rangeOf({ loc }: ASTNode): Range {
  return loc === undefined ? { start: 0, end: 0 } : { start: loc.start, end: loc.end };
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function indented(source: string, indent: string): string {
  return source
    .split('\n')
    .map((line) => indent + line)
    .join('\n');
}

function onOneLine(source: string): string {
  return source.replace(/\s*\n\s*/g, ' ');
}
