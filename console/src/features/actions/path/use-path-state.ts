/** The state of the handler, the relationships and the remote schemas of an action. */
import { useQuery } from '@tanstack/react-query';
import type { Client } from '../../../api/client.ts';
import { useClient } from '../../../api/context.ts';
import { readInconsistencies } from '../../../api/inconsistencies.ts';
import type { Action } from '../actions-api.ts';
import { isAsynchronous } from '../sample.ts';
import { type BoxState, handlerState, isHandlerFailure, type PathState } from './request-path.ts';

const HOUR_MS = 3_600_000;
const PAUSE_MS = 30_000;

export function usePathState(action: Action): PathState {
  const client = useClient();
  const asynchronous = isAsynchronous(action);
  const handler = useQuery({
    queryKey: ['action-state', action.name, asynchronous],
    queryFn: ({ signal }) => (asynchronous ? readRuns : readErrors)(client, action.name, signal),
    refetchInterval: PAUSE_MS,
  });
  const inconsistent = useQuery({
    queryKey: ['metadata', 'source-inconsistencies'],
    queryFn: ({ signal }) => readInconsistencies(client, signal),
  });
  const remotes = useQuery({
    queryKey: ['metadata', 'remote-states'],
    queryFn: ({ signal }) => readRemotes(client, signal),
  });
  return { handler: handler.data, inconsistent: inconsistent.data, remotes: remotes.data };
}

/** The log of recent errors has those of this node. */
async function readErrors(client: Client, name: string, signal: AbortSignal): Promise<BoxState> {
  const { requests } = await client.command('get_refused_requests', { code: 'unexpected', limit: 500 }, { signal });
  const since = Date.now() - HOUR_MS;
  const failed = requests.filter((one) => isHandlerFailure(one, name) && Date.parse(one.time) >= since);
  return handlerState(failed.length, failed[0]?.message);
}

async function readRuns(client: Client, name: string, signal: AbortSignal): Promise<BoxState> {
  const from = new Date(Date.now() - HOUR_MS).toISOString();
  const args = { kinds: ['async_action' as const], destination: name, from };
  const { total } = await client.command('get_traffic_history', args, { signal });
  return handlerState(total.retried + total.failed, undefined);
}

/** Returns the remote schemas whose schema could not be read. */
async function readRemotes(client: Client, signal: AbortSignal): Promise<ReadonlyMap<string, BoxState>> {
  const { remote_schemas } = await client.command('get_remote_schema_status', {}, { signal });
  return new Map(
    remote_schemas.flatMap(({ name, status, problem }): readonly (readonly [string, BoxState])[] => {
      if (status === 'current') return [];
      const word = status === 'stale' ? 'Unreachable' : 'Not available';
      return [[name, { tone: 'bad', word, ...(problem !== undefined && { about: problem.message }) }]];
    }),
  );
}
