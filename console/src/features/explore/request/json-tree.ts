/** JSON text as a tree with positions, also for text with syntax errors. Pure. */
import { jsonLanguage } from '@codemirror/lang-json';

/** The part of a syntax node that is used. */
type SyntaxNode = ReturnType<typeof jsonLanguage.parser.parse>['topNode'];

export type JsonKind = 'object' | 'list' | 'string' | 'number' | 'boolean' | 'null';

export interface JsonNode {
  readonly kind: JsonKind;
  readonly from: number;
  readonly to: number;
  /** The value of a string, or the text of another scalar. */
  readonly text: string;
  readonly members: readonly JsonMember[];
  readonly items: readonly JsonNode[];
}

export interface JsonMember {
  readonly name: string;
  /** Offsets of the name with its quotes. */
  readonly from: number;
  readonly to: number;
  /** Undefined while it is not written. */
  readonly value: JsonNode | undefined;
}

const kinds: Readonly<Record<string, JsonKind>> = {
  Object: 'object',
  Array: 'list',
  String: 'string',
  Number: 'number',
  True: 'boolean',
  False: 'boolean',
  Null: 'null',
};

/** Returns the root value. Undefined for text without a value. */
export function jsonTree(text: string): JsonNode | undefined {
  const first = jsonLanguage.parser.parse(text).topNode.firstChild;
  return first === null ? undefined : nodeOf(first, text);
}

function nodeOf(node: SyntaxNode, text: string): JsonNode | undefined {
  const kind = kinds[node.name];
  if (kind === undefined) return undefined;
  const { from, to } = node;
  const written = text.slice(from, to);
  const children = childrenOf(node);
  return {
    kind,
    from,
    to,
    text: kind === 'string' ? unquoted(written) : written,
    members: kind === 'object' ? children.flatMap((child) => memberOf(child, text)) : [],
    items: kind === 'list' ? children.flatMap((child) => nodeOf(child, text) ?? []) : [],
  };
}

function memberOf(node: SyntaxNode, text: string): readonly JsonMember[] {
  if (node.name !== 'Property') return [];
  const children = childrenOf(node);
  const name = children.find((child) => child.name === 'PropertyName');
  if (name === undefined) return [];
  const value = children.map((child) => nodeOf(child, text)).find((child) => child !== undefined);
  return [{ name: unquoted(text.slice(name.from, name.to)), from: name.from, to: name.to, value }];
}

function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

/** Text that is not a complete string yet is returned without its quotes. */
function unquoted(written: string): string {
  try {
    return String(JSON.parse(written));
  } catch {
    return written.replace(/^"|"$/g, '');
  }
}
