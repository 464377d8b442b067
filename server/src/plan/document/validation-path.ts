/** Paths of document nodes: `$.selectionSet.author.args.where.id._eq`. */
import { type ASTNode, type DocumentNode, type FragmentDefinitionNode, Kind, visit } from 'graphql';

/**
 * Returns a function from the nodes of `document` to their paths. A path contains the names of fields and arguments. A
 * fragment has the path of its first spread.
 */
export function pathFinder(document: DocumentNode): (node: ASTNode | undefined) => string {
  const parents = new Map<ASTNode, ASTNode | undefined>();
  const spreads = new Map<string, ASTNode>();
  const above: ASTNode[] = [];
  visit(document, {
    enter(node) {
      parents.set(node, above.at(-1));
      if (node.kind === Kind.FRAGMENT_SPREAD && !spreads.has(node.name.value)) spreads.set(node.name.value, node);
      above.push(node);
    },
    leave() {
      above.pop();
    },
  });
  const parentOf = (node: ASTNode) =>
    node.kind === Kind.FRAGMENT_DEFINITION ? spreads.get(node.name.value) : parents.get(node);
  return (node) => {
    const steps: string[] = [];
    const passed = new Set<FragmentDefinitionNode>();
    for (let at = node; at !== undefined; at = parentOf(at)) {
      if (at.kind === Kind.FRAGMENT_DEFINITION) {
        // A cycle of fragments is a validation error, which has a path too.
        if (passed.has(at)) break;
        passed.add(at);
      }
      steps.push(stepTo(at, parents.get(at)));
    }
    return `$${steps.reverse().join('')}`;
  };
}

function stepTo(node: ASTNode, parent: ASTNode | undefined): string {
  switch (node.kind) {
    case Kind.FIELD:
      return `.selectionSet.${node.name.value}`;
    case Kind.ARGUMENT:
      return `.args.${node.name.value}`;
    case Kind.OBJECT_FIELD:
      return `.${node.name.value}`;
    default:
      return parent?.kind === Kind.LIST ? `[${(parent.values as readonly ASTNode[]).indexOf(node)}]` : '';
  }
}
