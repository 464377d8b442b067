/** The API of `joinery console` and `joinery dev`. All functions throw Failure. */
import type { PreviewRequest, ProjectPreview, ProjectState } from '@joinery/metadata/api/project';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Client } from '../../api/client.ts';
import { useClient } from '../../api/context.ts';
import { rejectionOf } from '../../api/failure.ts';

const POLL_MS = 5_000;

/** Every change of the metadata reads the state again. */
export function useProject(): UseQueryResult<ProjectState> {
  const client = useClient();
  return useQuery({
    queryKey: ['metadata', 'project'],
    queryFn: ({ signal }) => send<ProjectState>(client, 'state', {}, signal),
    refetchInterval: POLL_MS,
  });
}

export function previewChange(client: Client, request: PreviewRequest, signal: AbortSignal): Promise<ProjectPreview> {
  return send(client, 'preview', request, signal);
}

export function undoChange(client: Client, id: number): Promise<unknown> {
  return send(client, 'undo', { id });
}

/** Writes the metadata of the service to the files. */
export function writeFiles(client: Client): Promise<unknown> {
  return send(client, 'export', {});
}

/** Replaces the metadata of the service with that of the files. */
export function applyFiles(client: Client): Promise<unknown> {
  return send(client, 'apply', {});
}

async function send<Result>(client: Client, path: string, body: unknown, signal?: AbortSignal): Promise<Result> {
  const response = await client.post(`/project/${path}`, JSON.stringify(body), {}, signal);
  if (response.status !== 200) throw rejectionOf(response.status, response.body);
  return response.body as Result;
}
