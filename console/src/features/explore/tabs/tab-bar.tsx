/** The tabs of the explorer, and the buttons that open and close them. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { type KeyboardEvent, useRef } from 'react';
import { CrossIcon, PlusIcon } from '../../../ui/page/icons.tsx';
import { titleOf } from '../history/history.ts';
import type { Runs } from '../run/runs.ts';
import classes from './tab-bar.module.css';
import type { Tab, Tabs } from './tabs.ts';

interface TabBarProps {
  readonly tabs: Tabs;
  readonly runs: Runs;
  /** Id of the panel that shows the active tab. */
  readonly panel: string;
  readonly onActivate: (id: string) => void;
  readonly onClose: (id: string) => void;
  readonly onOpen: () => void;
  readonly onReopen: () => void;
}

export function TabBar({ tabs, runs, panel, onActivate, onClose, onOpen, onReopen }: TabBarProps) {
  const list = useRef<HTMLDivElement>(null);
  const activate = (tab: Tab | undefined): void => {
    if (tab === undefined) return;
    onActivate(tab.id);
    list.current?.querySelector<HTMLElement>(`[data-tab="${tab.id}"]`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent, index: number): void => {
    const { open } = tabs;
    const beside = { ArrowRight: (index + 1) % open.length, ArrowLeft: (index - 1 + open.length) % open.length }[
      event.key
    ];
    const target = { Home: 0, End: open.length - 1 }[event.key] ?? beside;
    if (target !== undefined) activate(open[target]);
    else if (event.key === 'Delete') onClose(tabs.active);
    else return;
    event.preventDefault();
  };
  return (
    <div className={classes.bar}>
      <div className={classes.list} role="tablist" aria-label="Operations" ref={list}>
        {tabs.open.map((tab, index) => {
          const isActive = tab.id === tabs.active;
          return (
            <button
              key={tab.id}
              type="button"
              role="tab"
              className={classes.tab}
              data-tab={tab.id}
              aria-selected={isActive}
              aria-controls={panel}
              tabIndex={isActive ? 0 : -1}
              title={titleOf(tab.query)}
              onClick={() => onActivate(tab.id)}
              onKeyDown={(event) => onKeyDown(event, index)}
              onAuxClick={(event) => {
                if (event.button === 1) onClose(tab.id);
              }}
            >
              {runs[tab.id]?.state === 'running' && (
                <span className={classes.running} role="img" aria-label="running" />
              )}
              <span className={classes.title}>{titleOf(tab.query) || 'Empty'}</span>
            </button>
          );
        })}
      </div>
      <Tooltip label="Close the tab (Delete)">
        <ActionIcon variant="subtle" color="gray" aria-label="Close the tab" onClick={() => onClose(tabs.active)}>
          <CrossIcon size={16} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="New tab">
        <ActionIcon variant="subtle" color="gray" aria-label="New tab" onClick={onOpen}>
          <PlusIcon size={16} />
        </ActionIcon>
      </Tooltip>
      {tabs.closed.length > 0 && (
        <button type="button" className={classes.reopen} onClick={onReopen}>
          Reopen the closed tab
        </button>
      )}
    </div>
  );
}
