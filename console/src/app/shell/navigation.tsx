/** The navigation: names and icons, or icons with names on hover. */
import { NavLink, Tooltip } from '@mantine/core';
import type { MouseEvent } from 'react';
import { linkTo } from '../../router/location.ts';
import { sourcePath } from '../../shared/sources/table-paths.ts';
import { useSources } from '../../shared/sources/use-sources.ts';
import { type NavigationEntry, navigationGroups } from './navigation-groups.tsx';
import classes from './shell.module.css';

interface NavigationProps {
  readonly path: string;
  readonly isRail: boolean;
  readonly onMove: () => void;
}

export function Navigation(props: NavigationProps) {
  const { data } = useSources();
  const [only, another] = data ?? [];
  // With one source there is nothing to choose on the page of sources.
  const tables = only !== undefined && another === undefined ? sourcePath(only.name) : '/data';
  return navigationGroups.map((group) => (
    <div key={group.label ?? ''}>
      {group.label !== undefined && (props.isRail ? <hr className={classes.line} /> : <GroupName name={group.label} />)}
      {group.entries.map((entry) => (
        <EntryLink key={entry.to} {...props} entry={entry.to === '/data' ? { ...entry, to: tables } : entry} />
      ))}
    </div>
  ));
}

function GroupName({ name }: { readonly name: string }) {
  return <div className={classes.group}>{name}</div>;
}

function EntryLink({ entry, path, isRail, onMove }: NavigationProps & { readonly entry: NavigationEntry }) {
  const active = entry.under === '/' ? path === '/' : path === entry.under || path.startsWith(`${entry.under}/`);
  const link = linkTo(entry.to);
  const props = {
    href: link.href,
    onClick: (event: MouseEvent) => {
      link.onClick(event);
      onMove();
    },
    leftSection: entry.icon,
    active,
    'aria-current': active ? ('page' as const) : undefined,
  };
  if (!isRail) return <NavLink className={classes.link ?? ''} label={entry.label} {...props} />;
  return (
    <Tooltip label={entry.label} position="right">
      <NavLink className={`${classes.link} ${classes.icon}`} aria-label={entry.label} {...props} />
    </Tooltip>
  );
}
