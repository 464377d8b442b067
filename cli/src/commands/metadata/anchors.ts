/** Removes anchors from parts of a document that change, so that the aliases elsewhere keep their values. */
import { type Document, isAlias, isNode, type Node, visit } from 'yaml';

/** Replaces the aliases of all anchors in `parts` by copies of their values, and removes these anchors. */
export function removeAnchors(document: Document, parts: readonly unknown[]): void {
  const anchored = new Set<Node>();
  for (const part of parts) {
    if (!isNode(part)) continue;
    visit(part, {
      Value: (_key, node) => {
        if (node.anchor !== undefined) anchored.add(node);
      },
    });
  }
  release(document, anchored);
}

/** As `removeAnchors`, for the anchor of the node itself. */
export function removeOwnAnchor(document: Document, node: Node): void {
  if (!isAlias(node) && node.anchor !== undefined) release(document, new Set([node]));
}

function release(document: Document, anchored: ReadonlySet<Node>): void {
  if (anchored.size === 0) return;
  visit(document, {
    Alias: (_key, alias) => {
      const source = alias.resolve(document);
      return source !== undefined && anchored.has(source) ? copyFor(alias, source) : undefined;
    },
  });
  for (const node of anchored) if (!isAlias(node)) delete node.anchor;
}

/** Returns the value of an alias with the comments of the alias. The visit continues in the copy, which may have aliases. */
function copyFor(alias: Node, source: Node): Node {
  const copy = source.clone() as Node;
  visit(copy, {
    Node: (_key, node) => {
      delete node.commentBefore;
      delete node.comment;
      if (!isAlias(node)) delete node.anchor;
    },
  });
  copy.commentBefore = alias.commentBefore ?? null;
  copy.comment = alias.comment ?? null;
  return copy;
}
