/** Whether what a remote schema offers is known. */
import { Light } from '../../ui/feedback/status-dot.tsx';
import type { RemoteStatus } from './remotes-api.ts';

const shown = {
  current: { tone: 'good', label: 'Current' },
  stale: { tone: 'waiting', label: 'Stale' },
  unavailable: { tone: 'bad', label: 'Unavailable' },
} as const;

export function RemoteLight({ status }: Pick<RemoteStatus, 'status'>) {
  const { tone, label } = shown[status];
  return <Light tone={tone}>{label}</Light>;
}
