/** How the handler of an action is called, beyond where: transforms, what of its answer goes on, limits, the cache. */
import type { ActionDefinition } from '@joinery/metadata/schema/actions';
import { neverReturned } from '../../base/http-client/headers.ts';
import { readRequestTransform, readResponseTransform, TemplateError } from '../../base/templates/transform.ts';
import type { Action } from '../types/action.ts';

type Transforms = Pick<Action, 'requestTransform' | 'responseTransform'>;

/** The transforms with their templates parsed; problems name each template that cannot be, and the place in it. */
export function readTransforms({ request_transform: request, response_transform: response }: ActionDefinition): {
  readonly transforms: Transforms;
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const read = <Result>(member: string, parse: () => Result): Result | undefined => {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      problems.push(...error.issues.map(({ path, message }) => `${member}${path}: ${message}`));
      return undefined;
    }
  };
  const transforms: Transforms = {
    ...(request && { requestTransform: read('request_transform', () => readRequestTransform(request)) }),
    ...(response && { responseTransform: read('response_transform', () => readResponseTransform(response)) }),
  };
  return { transforms, problems };
}

export function callSettings(definition: ActionDefinition): Pick<Action, 'returnedHeaders' | 'maxCalls' | 'cache'> {
  const { forward_response_headers: headers, max_concurrent_calls: maxCalls, cache } = definition;
  return {
    ...(headers && { returnedHeaders: new Set(headers.map((name) => name.toLowerCase())) }),
    ...(maxCalls !== undefined && { maxCalls }),
    ...(cache && {
      cache: {
        ttlMs: cache.ttl_seconds * 1_000,
        sessionVariables: cache.session_variables?.map((name) => name.toLowerCase()),
      },
    }),
  };
}

/** What of these settings makes no sense. */
export function callProblems({ type, cache, forward_response_headers: headers = [] }: ActionDefinition): string[] {
  const own = headers.filter((name) => neverReturned.has(name.toLowerCase()));
  const cookies = headers.some((name) => name.toLowerCase() === 'set-cookie');
  return [
    ...own.map(
      (name) => `forward_response_headers: "${name}" speaks of the handler's answer and not of ours; leave it out`,
    ),
    ...(cache && type === 'mutation'
      ? ['cache: only query actions are cached; leave it out, or write "type": "query"']
      : []),
    ...(cache && cookies
      ? ['cache: an answer that sets cookies serves one client; leave out "cache" or "Set-Cookie"']
      : []),
  ];
}
