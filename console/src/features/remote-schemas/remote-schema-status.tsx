/** The introspection status of a remote schema. */
import type { RemoteSchemaStatus as Status } from '@joinery/metadata/api/remote-schemas';
import { StatusDot } from '../../ui/feedback/status-dot.tsx';

const shown = {
  current: { tone: 'good', label: 'Current' },
  stale: { tone: 'waiting', label: 'Stale' },
  unavailable: { tone: 'bad', label: 'Unavailable' },
} as const;

export function RemoteSchemaStatus({ status }: Pick<Status, 'status'>) {
  const { tone, label } = shown[status];
  return <StatusDot tone={tone}>{label}</StatusDot>;
}
