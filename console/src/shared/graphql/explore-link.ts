/** Links to the explorer with an operation. Pure. */
import type { Draft } from './operation-draft.ts';

/** Parameters of a link, the first two as in GraphiQL. Headers are not part of it, because they can be credentials. */
const members = ['query', 'variables', 'role', 'session'] as const;

export type LinkedOperation = Partial<Pick<Draft, (typeof members)[number]>>;

/** Returns a path within the console. The operation is in the fragment, which browsers do not send to servers. */
export function exploreLink(operation: LinkedOperation): string {
  const search = new URLSearchParams();
  for (const member of members) {
    const text = operation[member];
    if (text !== undefined && text !== '') search.set(member, text);
  }
  return `/explore#${search}`;
}

/**
 * Reads the fragment of a link, or its query string, which earlier versions wrote. Undefined when it has no operation. Missing
 * parameters are empty.
 */
export function linkedOperation(hash: string, query: URLSearchParams): Required<LinkedOperation> | undefined {
  const fragment = new URLSearchParams(hash.replace(/^#/, ''));
  return operationOf(fragment) ?? operationOf(query);
}

function operationOf(search: URLSearchParams): Required<LinkedOperation> | undefined {
  const query = search.get('query');
  if (query === null) return undefined;
  const [variables = '', role = '', session = ''] = members.slice(1).map((member) => search.get(member) ?? undefined);
  return { query, variables, role, session };
}
