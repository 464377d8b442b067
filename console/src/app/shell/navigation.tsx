/** The navigation. */
import { NavLink } from '@mantine/core';
import type { ReactNode } from 'react';
import { linkTo } from '../../router/location.ts';
import {
  BoltIcon,
  ClockIcon,
  GlobeIcon,
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
import classes from './shell.module.css';

interface Entry {
  readonly label: string;
  readonly to: string;
  /** Prefix of the paths that belong to the entry. */
  readonly under: string;
  readonly icon: ReactNode;
}

interface EntryGroup {
  readonly label: string | undefined;
  readonly entries: readonly Entry[];
}

const groups: readonly EntryGroup[] = [
  { label: undefined, entries: [{ label: 'Overview', to: '/', under: '/', icon: <OverviewIcon /> }] },
  {
    label: 'Data',
    entries: [
      { label: 'Tables', to: '/data', under: '/data', icon: <TableIcon /> },
      { label: 'SQL', to: '/sql', under: '/sql', icon: <TerminalIcon /> },
    ],
  },
  {
    label: 'API',
    entries: [
      { label: 'Explore', to: '/explore', under: '/explore', icon: <PlayIcon /> },
      { label: 'Actions', to: '/actions', under: '/actions', icon: <BoltIcon /> },
      { label: 'Remote schemas', to: '/remotes', under: '/remotes', icon: <GlobeIcon /> },
    ],
  },
  {
    label: 'Events',
    entries: [
      { label: 'One-off', to: '/events/one-off/pending', under: '/events/one-off', icon: <ClockIcon /> },
      { label: 'Cron triggers', to: '/events/cron/all', under: '/events/cron', icon: <RefreshIcon /> },
      { label: 'Event triggers', to: '/events/triggers', under: '/events/triggers', icon: <TableSendIcon /> },
      { label: 'Delivery', to: '/events/delivery', under: '/events/delivery', icon: <SendIcon /> },
    ],
  },
  {
    label: 'Service',
    entries: [
      { label: 'Operations', to: '/operations/collections', under: '/operations', icon: <ListIcon /> },
      { label: 'Settings', to: '/settings', under: '/settings', icon: <TuneIcon /> },
    ],
  },
];

interface NavigationProps {
  readonly path: string;
  readonly onMove: () => void;
}

export function Navigation({ path, onMove }: NavigationProps) {
  return groups.map((group) => (
    <div key={group.label ?? ''}>
      {group.label !== undefined && <div className={classes.group}>{group.label}</div>}
      {group.entries.map((entry) => (
        <EntryLink key={entry.to} entry={entry} path={path} onMove={onMove} />
      ))}
    </div>
  ));
}

function EntryLink({ entry, path, onMove }: NavigationProps & { readonly entry: Entry }) {
  const active = entry.under === '/' ? path === '/' : path === entry.under || path.startsWith(`${entry.under}/`);
  const link = linkTo(entry.to);
  return (
    <NavLink
      className={classes.link ?? ''}
      href={link.href}
      onClick={(event) => {
        link.onClick(event);
        onMove();
      }}
      label={entry.label}
      leftSection={entry.icon}
      active={active}
      aria-current={active ? 'page' : undefined}
    />
  );
}
