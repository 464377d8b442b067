/** An operation in the address of the explorer, so that other pages and people can lead there. Pure. */
import type { Draft } from './operation-draft.ts';

/** Names of members of the query string, as GraphiQL has them. */
const members = ['query', 'variables', 'role'] as const;

export type LinkedOperation = Partial<Pick<Draft, (typeof members)[number]>>;

/** Path below the console. */
export function exploreLink(operation: LinkedOperation): string {
  const search = new URLSearchParams();
  for (const member of members) {
    const text = operation[member];
    if (text !== undefined && text !== '') search.set(member, text);
  }
  return `/explore?${search}`;
}

/** Undefined where the address holds no operation. What it leaves out is empty, not what was there before. */
export function linkedOperation(search: URLSearchParams): Required<LinkedOperation> | undefined {
  const query = search.get('query');
  if (query === null) return undefined;
  return { query, variables: search.get('variables') ?? '', role: search.get('role') ?? '' };
}
