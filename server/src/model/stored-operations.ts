/** The stage of resolve for stored operations: REST endpoints and the allow list. */
import type { RoleName } from '@joinery/metadata/names';
import type { RestEndpoint } from '@joinery/metadata/schema/stored-operations';
import type { Steps } from '../base/steps.ts';
import type { Draft } from './types/draft.ts';
import type { AllowedOperations, RestRoute, RestSegment, StoredOperations } from './types/stored-operation.ts';

export function* resolveStoredOperations(draft: Draft): Steps<StoredOperations> {
  const collections = draft.input.metadata.query_collections ?? [];
  const queries = collections.flatMap(({ definition }) => definition.queries.map(({ query }) => query));
  return { routes: yield* routesOf(draft), allowed: allowedOf(draft), documents: queries };
}

interface Candidate {
  readonly index: number;
  readonly written: RestEndpoint;
  readonly route: RestRoute;
}

function* routesOf(draft: Draft): Steps<readonly RestRoute[]> {
  const candidates: Candidate[] = [];
  const queryOf = queryFinder(draft);
  for (const [index, written] of (draft.input.metadata.rest_endpoints ?? []).entries()) {
    yield;
    const segments = segmentsOf(written.url);
    const query = queryOf(written);
    const problem = typeof segments === 'string' ? segments : query === undefined ? noQuery(written) : undefined;
    if (problem !== undefined || typeof segments === 'string' || query === undefined) {
      report(draft, index, written, problem ?? '');
      continue;
    }
    const { name, url, methods, comment, allow_get_mutation: allowsGetMutation = false } = written;
    const route = { name, url, segments, methods, query, comment: comment ?? undefined, allowsGetMutation };
    candidates.push({ index, written, route });
  }
  // Those with the fewest variables first, so that a conflict drops the more general endpoint.
  const ordered = [...candidates].sort((one, other) => variablesIn(one.route) - variablesIn(other.route));
  const accepted: RestRoute[] = [];
  for (const { index, written, route } of ordered) {
    yield;
    const rivals = accepted.filter((one) => conflict(one, route));
    if (rivals.length === 0) accepted.push(route);
    else report(draft, index, written, ambiguous(route, rivals));
  }
  return accepted;
}

/** The segments of the URL, or an error message. */
function segmentsOf(url: string): readonly RestSegment[] | string {
  const parts = url.split('/');
  if (parts.some((part) => part === '' || part === ':')) {
    return `Empty segments or unnamed variables are not allowed: ${url}`;
  }
  // Clients and proxies remove these from a path, so that the endpoint could not be called, or another URL is.
  if (parts.some((part) => /^(?:\.|%2e){1,2}$/i.test(part))) return `"." and ".." are not allowed as segments: ${url}`;
  if (/\p{Cc}/u.test(url)) return `Control characters are not allowed: ${JSON.stringify(url)}`;
  const names = parts.filter((part) => part.startsWith(':'));
  if (new Set(names).size < names.length) return `Duplicate variables found in endpoint path: ${url}`;
  return parts.map((part) =>
    part.startsWith(':') ? { kind: 'variable', name: part.slice(1) } : { kind: 'text', text: part },
  );
}

/** Returns a function that finds the query of an endpoint. The first of several queries with one name is used. */
function queryFinder(draft: Draft): (endpoint: RestEndpoint) => string | undefined {
  const collections = new Map<string, ReadonlyMap<string, string>>();
  for (const { name, definition } of draft.input.metadata.query_collections ?? []) {
    if (collections.has(name)) continue;
    collections.set(name, new Map(definition.queries.toReversed().map((one) => [one.name, one.query])));
  }
  return ({ definition: { query } }) => collections.get(query.collection_name)?.get(query.query_name);
}

function noQuery({ definition }: RestEndpoint): string {
  const { collection_name, query_name } = definition.query;
  return `there is no query "${query_name}" in a query collection "${collection_name}"; add it with add_query_to_collection`;
}

function variablesIn({ segments }: RestRoute): number {
  return segments.filter((segment) => segment.kind === 'variable').length;
}

/** Whether some request matches both routes. */
function conflict(one: RestRoute, other: RestRoute): boolean {
  if (one.segments.length !== other.segments.length) return false;
  if (!one.methods.some((method) => other.methods.includes(method))) return false;
  return one.segments.every((segment, position) => {
    const rival = other.segments[position];
    return segment.kind === 'variable' || rival?.kind !== 'text' || segment.text === rival.text;
  });
}

function ambiguous(route: RestRoute, rivals: readonly RestRoute[]): string {
  const urls = [route, ...rivals].map(({ url }) => url).sort();
  return `Ambiguous URL paths: ${urls.join(', ')}`;
}

function report(draft: Draft, index: number, written: RestEndpoint, problem: string): void {
  draft.report({
    type: 'rest_endpoint',
    name: `rest_endpoint ${written.name}`,
    path: `$.rest_endpoints[${index}]`,
    code: 'invalid-configuration',
    reason: problem,
    definition: written,
  });
}

function allowedOf(draft: Draft): AllowedOperations {
  const { allowlist = [], query_collections = [] } = draft.input.metadata;
  const allRoles: string[] = [];
  const byRole = new Map<RoleName, string[]>();
  for (const [index, entry] of allowlist.entries()) {
    const collection = query_collections.find((one) => one.name === entry.collection);
    if (collection === undefined) {
      draft.report({
        type: 'allowlist',
        name: `allowlist collection ${entry.collection}`,
        path: `$.allowlist[${index}]`,
        code: 'invalid-configuration',
        reason: `query collection "${entry.collection}" does not exist; create it, or take it out of the allow list`,
        definition: entry,
      });
      continue;
    }
    const queries = collection.definition.queries.map(({ query }) => query);
    if (entry.scope === undefined || entry.scope.global) allRoles.push(...queries);
    else for (const role of entry.scope.roles) byRole.set(role, [...(byRole.get(role) ?? []), ...queries]);
  }
  return { allRoles, byRole };
}
