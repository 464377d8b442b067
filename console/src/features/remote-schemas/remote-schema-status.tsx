/** The introspection status of a remote schema. */
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import type { RemoteStatus } from './remotes-api.ts';

const shown = {
  current: { tone: 'good', label: 'Current' },
  stale: { tone: 'waiting', label: 'Stale' },
  unavailable: { tone: 'bad', label: 'Unavailable' },
} as const;

export function RemoteSchemaStatus({ status }: Pick<RemoteStatus, 'status'>) {
  const { tone, label } = shown[status];
  return <StatusDot tone={tone}>{label}</StatusDot>;
}
