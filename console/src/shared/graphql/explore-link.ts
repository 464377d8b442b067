/** Links to the explorer with an operation. Pure. */
import type { Draft } from './operation-draft.ts';

/** Query parameters, as in GraphiQL. */
const members = ['query', 'variables', 'role'] as const;

export type LinkedOperation = Partial<Pick<Draft, (typeof members)[number]>>;

/** Returns a path within the console. */
export function exploreLink(operation: LinkedOperation): string {
  const search = new URLSearchParams();
  for (const member of members) {
    const text = operation[member];
    if (text !== undefined && text !== '') search.set(member, text);
  }
  return `/explore?${search}`;
}

/** Undefined when the query string has no operation. Missing parameters are empty. */
export function linkedOperation(search: URLSearchParams): Required<LinkedOperation> | undefined {
  const query = search.get('query');
  if (query === null) return undefined;
  return { query, variables: search.get('variables') ?? '', role: search.get('role') ?? '' };
}
