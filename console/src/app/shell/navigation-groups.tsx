/** The entries of the navigation. */
import type { ReactNode } from 'react';
import {
  BoltIcon,
  ClockIcon,
  GlobeIcon,
  HistoryIcon,
  ListIcon,
  OverviewIcon,
  PlayIcon,
  RefreshIcon,
  SendIcon,
  TableIcon,
  TableSendIcon,
  TerminalIcon,
  TuneIcon,
} from '../../ui/page/icons.tsx';

export interface NavigationEntry {
  readonly label: string;
  readonly to: string;
  /** Prefix of the paths that belong to the entry. */
  readonly under: string;
  readonly icon: ReactNode;
  /** The keyboard shortcut. */
  readonly keys: string;
}

interface EntryGroup {
  readonly label: string | undefined;
  readonly entries: readonly NavigationEntry[];
}

export const navigationGroups: readonly EntryGroup[] = [
  { label: undefined, entries: [{ label: 'Overview', to: '/', under: '/', icon: <OverviewIcon />, keys: 'g o' }] },
  {
    label: 'Data',
    entries: [
      { label: 'Tables', to: '/data', under: '/data', icon: <TableIcon />, keys: 'g t' },
      { label: 'SQL', to: '/sql', under: '/sql', icon: <TerminalIcon />, keys: 'g s' },
    ],
  },
  {
    label: 'API',
    entries: [
      { label: 'Explore', to: '/explore', under: '/explore', icon: <PlayIcon />, keys: 'g e' },
      { label: 'Actions', to: '/actions', under: '/actions', icon: <BoltIcon />, keys: 'g a' },
      { label: 'Remote schemas', to: '/remotes', under: '/remotes', icon: <GlobeIcon />, keys: 'g r' },
    ],
  },
  {
    label: 'Events',
    entries: [
      { label: 'Events', to: '/events/activity', under: '/events/activity', icon: <ClockIcon />, keys: 'g n' },
      { label: 'Cron triggers', to: '/events/cron/all', under: '/events/cron', icon: <RefreshIcon />, keys: 'g c' },
      {
        label: 'Event triggers',
        to: '/events/triggers',
        under: '/events/triggers',
        icon: <TableSendIcon />,
        keys: 'g v',
      },
      { label: 'Delivery', to: '/events/delivery', under: '/events/delivery', icon: <SendIcon />, keys: 'g d' },
    ],
  },
  {
    label: 'Service',
    entries: [
      { label: 'Operations', to: '/operations/collections', under: '/operations', icon: <ListIcon />, keys: 'g p' },
      { label: 'Audit log', to: '/audit', under: '/audit', icon: <HistoryIcon />, keys: 'g l' },
      { label: 'Settings', to: '/settings', under: '/settings', icon: <TuneIcon />, keys: 'g ,' },
    ],
  },
];
